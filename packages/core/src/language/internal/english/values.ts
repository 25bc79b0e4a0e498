/**
 * What people answer for an argument, by what it is about. `words` are matched against the words of the argument's
 * name, then of its description; the first entry that fits is taken.
 */
export interface Lexicon {
  readonly about: ReadonlyArray<string>
  readonly values: ReadonlyArray<string>
}

const list = (text: string): ReadonlyArray<string> =>
  text
    .split("|")
    .map((value) => value.trim().replace(/\s+/g, " "))
    .filter((value) => value.length > 0)

const lexicon = (about: string, values: string): Lexicon => ({ about: about.split(" "), values: list(values) })

export const firstNames = list(
  "Yusuf|Mei|Fatima|Ethan|Sofia|Omar|Lena|Noah|Amara|Ivan|Isabella|Raj|Emma|Liam|Chloe|Mateo|Aisha|Daniel|Hana|Lucas|Nora|Kenji|Olivia|Samuel"
)
export const lastNames = list(
  "Rossi|Kovacs|Johnson|Garcia|Hernandez|Okafor|Meyer|Chen|Silva|Patel|Novak|Brown|Lopez|Kim|Taylor|Nguyen|Schmidt|Haddad|Larsen|Ito|Moreau|Walker|Costa|Singh"
)
export const streets = list(
  "Oak Street|Maple Avenue|Pine Road|Cedar Lane|Elm Drive|Park Avenue|Lakeview Terrace|Hillcrest Road|River Street|Sunset Boulevard|Church Lane|Mill Road|Birch Court|Highland Avenue"
)
export const units = list("Apt 3|Apt 12B|Suite 641|Unit 7|Floor 2|Apt 5C|Suite 210|Unit 18")
export const mailHosts = list("example.com|example.org|example.net")
/** City, state, zip code prefix, country. */
export const towns: ReadonlyArray<readonly [city: string, state: string, zip: string]> = [
  ["Denver", "CO", "802"],
  ["Seattle", "WA", "981"],
  ["Austin", "TX", "787"],
  ["Chicago", "IL", "606"],
  ["Boston", "MA", "021"],
  ["San Diego", "CA", "921"],
  ["Philadelphia", "PA", "191"],
  ["Phoenix", "AZ", "850"],
  ["Portland", "OR", "972"],
  ["Nashville", "TN", "372"],
  ["Columbus", "OH", "432"],
  ["Miami", "FL", "331"]
]

export const lexicons: ReadonlyArray<Lexicon> = [
  lexicon(
    "country countries nation",
    "Brazil|Japan|Kenya|Germany|Canada|Peru|Norway|India|Portugal|Vietnam|Morocco|Chile"
  ),
  lexicon("state province", "California|Texas|Ohio|New York|Florida|Oregon|Georgia|Colorado|Illinois|Washington"),
  lexicon("county", "Cook County|Orange County|Kings County|Travis County|King County|Dade County"),
  lexicon("region", "Europe|North America|Southeast Asia|Latin America|the Nordics|East Africa"),
  lexicon("city town", "Chicago|Lisbon|Denver|Osaka|Berlin|Nairobi|Toronto|Madrid|Seattle|Dublin|Austin|Lyon"),
  lexicon("airport", "JFK|LAX|ORD|SEA|BOS|ATL|DFW|MIA|DEN|SFO"),
  lexicon(
    "origin departure from_city from_location start_location",
    "Boston|Denver|Atlanta|Madrid|Chicago|Rome|Oslo|Phoenix"
  ),
  lexicon(
    "destination arrival to_city to_location end_location",
    "Seattle|New York|Lisbon|Miami|Paris|Tokyo|Houston|Vienna"
  ),
  lexicon(
    "location place loc locality where area_name geolocation",
    "Chicago|San Francisco|Boston|Berlin|Seattle|London|New York|Austin|Toronto|Denver|Paris|Sydney"
  ),
  lexicon("district neighborhood neighbourhood", "the old town|the harbour district|Riverside|Northgate|Southside"),
  lexicon(
    "company company_name corporation employer",
    "Microsoft|Toyota|Siemens|Apple|Nestle|Samsung|Tesla|Unilever|IBM|Nike"
  ),
  lexicon("stock ticker symbol", "AAPL|TSLA|MSFT|NVDA|AMZN|GOOG"),
  lexicon("currency currencies", "USD|EUR|GBP|JPY|CAD|CHF|AUD|SEK"),
  lexicon("language locale lang", "English|Spanish|German|French|Portuguese|Japanese"),
  lexicon(
    "team club",
    "Manchester United|the Lakers|Real Madrid|the Bulls|Bayern Munich|the Yankees|Arsenal|the Celtics"
  ),
  lexicon("league competition championship", "the Premier League|the NBA|La Liga|the Bundesliga|the NFL|Serie A"),
  lexicon("season", "2022-2023|2021-2022|2023-2024|2019-2020"),
  lexicon(
    "player athlete celebrity footballer",
    "Lionel Messi|Serena Williams|LeBron James|Roger Federer|Megan Rapinoe|Usain Bolt"
  ),
  lexicon(
    "artist painter sculptor musician singer",
    "Frida Kahlo|Auguste Rodin|Taylor Swift|Claude Monet|Adele|Pablo Picasso"
  ),
  lexicon(
    "author scientist leader monarch historian",
    "Marie Curie|Albert Einstein|Jane Austen|Isaac Newton|Otto von Bismarck|Queen Victoria"
  ),
  lexicon("sculpture artwork painting", "The Thinker|David|The Kiss|Venus de Milo|Starry Night|Guernica"),
  lexicon("museum gallery", "the Louvre|the British Museum|the Met|the Prado|the Rijksmuseum"),
  lexicon("movie film", "Inception|Casablanca|Parasite|The Matrix|Amelie|Toy Story"),
  lexicon("song track", "Bohemian Rhapsody|Yesterday|Halo|Imagine|Clocks"),
  lexicon("boardgame", "Catan|Carcassonne|Pandemic|Ticket to Ride"),
  lexicon("game videogame", "Minecraft|Zelda|Stardew Valley|Elden Ring|Portal|Fortnite"),
  lexicon("book novel", "Dune|Emma|The Hobbit|Middlemarch|Beloved"),
  lexicon("platform console", "PlayStation|Xbox|Nintendo Switch|PC|Steam"),
  lexicon("genre", "jazz|comedy|science fiction|drama|rock|mystery"),
  lexicon("cuisine food_type", "Italian|Thai|Mexican|Japanese|Indian|Lebanese|Greek"),
  lexicon("diet dietary restriction dietary_requirements", "vegan|vegetarian|gluten-free|halal|dairy-free|low-carb"),
  lexicon("ingredient ingredients", "chicken|tomatoes|rice|lentils|spinach|mushrooms|eggs|potatoes"),
  lexicon("recipe dish food meal food_item", "lasagna|pad thai|chocolate cake|burrito|paella|caesar salad"),
  lexicon("species animal organism pet", "dog|horse|salmon|honey bee|African elephant|house mouse"),
  lexicon("crop grain", "wheat|corn|rice|barley|soybeans|potatoes"),
  lexicon("plant tree flower", "a fern|a cactus|an oak|tomatoes|basil"),
  lexicon("soil", "clay|sand|loam|silt"),
  lexicon("color colour", "blue|red|dark green|black|beige|purple"),
  lexicon("material", "bronze|marble|oak|steel|cotton|leather"),
  lexicon("medium", "oil|watercolor|acrylic|charcoal"),
  lexicon("size", "medium|large|small|extra large"),
  lexicon("instrument", "guitar|violin|piano|flute|cello|trumpet"),
  lexicon("brand make manufacturer", "Yamaha|Bosch|Canon|Philips|Sony|Casio"),
  lexicon("model", "Classic 50|X200|Pro 14|Series 7|Mini 3"),
  lexicon("hotel", "the Hilton|the Grand Plaza|the Marriott|the Sheraton|the Riverside Inn"),
  lexicon("restaurant cafe", "Luigi's|the Golden Dragon|Blue Bistro|Taqueria Sol"),
  lexicon("airline carrier", "Lufthansa|Delta|KLM|United|Iberia"),
  lexicon("room", "double|single|suite|twin|queen"),
  lexicon("car_type cartype vehicle car", "SUV|compact|sedan|minivan|convertible"),
  lexicon("fuel", "gasoline|diesel|hybrid|electric"),
  lexicon("sport sports", "tennis|basketball|football|swimming|hockey|cycling"),
  lexicon("religion", "Buddhism|Islam|Judaism|Christianity|Hinduism|Sikhism"),
  lexicon(
    "battle war event",
    "the Battle of Waterloo|the moon landing|the fall of the Berlin Wall|the French Revolution|the 2018 World Cup"
  ),
  lexicon(
    "expertise specialization specialty specialisation practice",
    "family law|cardiology|tax law|dermatology|garden design|divorce"
  ),
  lexicon("crime offense offence", "theft|fraud|speeding|trespassing|burglary"),
  lexicon("law case_type", "civil|criminal|contract|patent|employment"),
  lexicon(
    "topic subject theme field",
    "climate change|machine learning|ancient Rome|renewable energy|photosynthesis|data privacy"
  ),
  lexicon("category categories type_of_place attraction", "museums|parks|restaurants|beaches|castles"),
  lexicon("drug medication medicine", "ibuprofen|amoxicillin|metformin|aspirin"),
  lexicon("symptom symptoms", "a headache|back pain|a rash|a cough"),
  lexicon("substance element chemical particle", "water|iron|ethanol|helium|copper"),
  lexicon("method algorithm approach", "the standard one|the simple one|the fastest one"),
  lexicon("department", "sales|billing|engineering|support"),
  lexicon("priority urgency severity", "high|low|normal"),
  lexicon(
    "product products item items article",
    "desk lamp|water bottle|mechanical keyboard|office chair|backpack|smart watch|coffee maker|running shoes"
  ),
  lexicon("service", "house cleaning|ironing|gardening|window cleaning"),
  lexicon("condition", "good|like new|fair|excellent"),
  lexicon("key_signature key", "C major|G major|A minor|E minor|D major"),
  lexicon("time_signature", "4/4|3/4|6/8"),
  lexicon("interval period frame", "the last 30 days|this month|the last quarter|this year"),
  lexicon("expression formula", "12 * (7 + 5)|45 / 9 + 3|(18 - 4) * 6|250 * 0.15|81 - 6 * 7"),
  lexicon("function equation polynomial", "x^2 - 4x + 3|3x + 7|x^3 - x|2x^2 + 5x - 3"),
  lexicon(
    "website site url link webpage page",
    "https://example.com/catalog|https://example.org/help|https://example.net/news|https://example.com/spring-sale"
  ),
  lexicon("image photo picture", "https://example.com/photos/cat.jpg|https://example.org/img/street.png"),
  lexicon("file path filename document folder directory", "report.pdf|notes.txt|summary.docx|budget.xlsx|photos.zip"),
  lexicon("command", "ls -la|git status|npm test|df -h"),
  lexicon("title headline", "Weekly update|Team meeting|Spring newsletter|Project kickoff"),
  lexicon(
    "query keyword keywords search_term",
    "wireless headphones|standing desk|cheap flights|running shoes|winter jacket"
  ),
  lexicon("unit units", "meters|miles|kilograms|celsius"),
  lexicon("relationship relation", "wife|husband|friend|colleague"),
  lexicon("gender sex", "female|male"),
  lexicon("occupation job profession role position", "nurse|teacher|software engineer|electrician"),
  lexicon("note notes_sequence note_sequence", "C E G|A C E|D F A")
]

/** Things people write in free text, by what the text is. */
export const freeTexts: ReadonlyArray<Lexicon> = [
  lexicon(
    "reason cause why justification",
    "I no longer need it|I ordered it by mistake|it took too long|I found something better|my plans changed|it doesn't fit"
  ),
  lexicon(
    "modification_request special_request",
    "without onions please|extra sauce on the side|make it spicy|no nuts|cut it in half"
  ),
  lexicon("subject headline", "Lunch on Friday|Monthly report|Change of plans|Invoice question|Welcome aboard"),
  lexicon(
    "body message text content comment comments caption email_body note notes sms tweet",
    "I'll be ten minutes late|The meeting moved to Thursday|Thanks for your help last week|Please bring the signed papers|The delivery arrived this morning|Can we talk tomorrow"
  ),
  lexicon(
    "thought",
    "whether to keep the old plan or the new one|which of the two is cheaper in the long run|what to do first"
  ),
  lexicon("todo task reminder", "buy milk|call the dentist|water the plants|renew the passport"),
  lexicon(
    "summary description issue problem details detail complaint feedback information",
    "the screen stays black after the update|the parcel was open when it came|I was charged twice|the door does not close any more|it came in the wrong color"
  ),
  lexicon("question", "how do I reset it|is it waterproof|when does it ship|does it come in blue"),
  lexicon(
    "preferences preference requirements instructions",
    "a quiet room|near the window|no nuts please|as early as possible"
  ),
  lexicon("poem lyrics story", "once upon a time|roses are red")
]

export const months: ReadonlyArray<string> = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]
export const times: ReadonlyArray<string> = ["9 am", "10:30 am", "noon", "2 pm", "3:15 pm", "5 pm", "7:30 pm"]
export const clockTimes: ReadonlyArray<string> = ["10:30", "11:00", "13:00", "14:00", "15:30", "16:00"]
export const weekdays: ReadonlyArray<string> = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday"
]
export const timeZones: ReadonlyArray<string> = ["New York", "London", "Tokyo", "Berlin", "Sydney"]
