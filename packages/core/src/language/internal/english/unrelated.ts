/**
 * Asks that need none of the agent's tools, by kind. `{city}`, `{a}`, `{b}` (numbers), `{thing}`, `{person}`, `{form}`
 * and `{noise}` are drawn.
 */
export const kinds: Readonly<Record<string, ReadonlyArray<string>>> = {
  other_domain: [
    "What's a good way to get a red wine stain out of a {thing}?",
    "Which neighbourhood in {city} would you move to with two kids?",
    "How long do I boil {a} eggs so that they stay soft?",
    "My {thing} makes a rattling noise when it gets warm, what could it be?",
    "Can you recommend a beginner workout for {a} minutes a day?",
    "Who won the football match in {city} last night?",
    "What should I wear to a wedding in {city} in October?",
    "My houseplant's leaves turn yellow next to the {thing}, what am I doing wrong?",
    "How do I get my cat to stop scratching the {thing}?",
    "Is {a} degrees too cold for camping near {city}?",
    "What do you think about interest rates over the next {a} months?",
    "Which visa do I need to work in {city} for {a} months?"
  ],
  creative: [
    "Write me a {form} about a {thing} that falls in love with {city}.",
    "Make up a {form} for {person}'s {a}th birthday.",
    "I need a funny {form} about {person} and a broken {thing}.",
    "Could you write a {form} in which {city} sinks into the sea?",
    "Give me a {form} that rhymes and mentions a {thing}.",
    "Invent a {form} about a detective called {person}.",
    "Compose a {form} for my grandmother from {city}."
  ],
  maths: [
    "What is {a} times {b}?",
    "If I drive {a} miles at {b} mph, how long does that take?",
    "What's {a}% of {b}?",
    "Is {b} a prime number?",
    "A train leaves {city} with {b} people and {a} get off, how many are left?",
    "How many ways are there to pick {a} out of {b}?",
    "Can you explain why {a} divided by zero is not infinity?",
    "Help me with my homework: solve {a}x + {b} = 0."
  ],
  garbage: [
    "{noise}",
    "{noise} {noise}",
    "aaaa {noise}",
    "{noise} ???",
    "{noise} sorry cat on keyboard {noise}",
    "test test {noise}",
    "ok {noise} {a}{b}"
  ],
  other_language: [
    "¿Me puedes recomendar un restaurante en {city} para {a} personas?",
    "Bonjour, quel temps fait-il à {city} aujourd'hui ?",
    "Kannst du mir erklären, wie man {a} Eier kocht?",
    "Ciao, mi consigli un libro da leggere a {city}?",
    "Olá, quantos habitantes tem {city}?",
    "Hoi, hoe laat is het nu in {city}?",
    "Cześć, co można zobaczyć w {city} w {a} dni?",
    "{city}でおすすめのお店を教えてください。",
    "{city}有什么好玩的地方吗？",
    "{city} şehrinde {a} gün kalmak için ne önerirsin?",
    "Привет, что посмотреть в {city} за {a} дня?",
    "안녕하세요, {city} 날씨가 어때요?"
  ],
  meta: [
    "Are you a real person or a bot?",
    "How many people do you talk to in {a} minutes?",
    "What company made you, and are you in {city}?",
    "Do you remember what {person} asked you {a} days ago?",
    "Do you ever get tired of answering questions about a {thing}?",
    "Which language model are you running on, version {a}?",
    "Can you hear me when I speak, or only read?",
    "Who sees what I type here besides {person}?",
    "If you could pick a name, would you choose {person}?",
    "How do I know you're not making things up about {city}?"
  ]
}

export const cities: ReadonlyArray<string> = [
  "Lisbon",
  "Chicago",
  "Oslo",
  "Nairobi",
  "Lima",
  "Hanoi",
  "Leeds",
  "Porto",
  "Denver",
  "Kyoto",
  "Ghent",
  "Tampa",
  "Dublin",
  "Quito",
  "Malmö",
  "Perth"
]
export const things: ReadonlyArray<string> = [
  "sofa",
  "toaster",
  "carpet",
  "bicycle",
  "umbrella",
  "lamp",
  "kettle",
  "piano",
  "ladder",
  "radiator",
  "suitcase",
  "teapot"
]
export const persons: ReadonlyArray<string> = [
  "Bertha",
  "Milo",
  "Aunt Rosa",
  "Gustav",
  "Priya",
  "Old Tom",
  "Yara",
  "Felix",
  "Nadia",
  "Otto"
]
export const forms: ReadonlyArray<string> = [
  "poem",
  "limerick",
  "short story",
  "song",
  "haiku",
  "fairy tale",
  "toast",
  "rap",
  "bedtime story"
]
export const noises: ReadonlyArray<string> = [
  "asdf",
  "jkl;",
  "qwerty",
  "sdkfj",
  "lkjh",
  "fghfgh",
  "zxcv",
  "uuuuh",
  "mmmpf",
  "..;;..",
  "hjkl",
  "dfgdfg",
  "woeiru",
  "blarg",
  "ghgh",
  "xcvb"
]
