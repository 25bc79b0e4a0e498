import { describe, expect, it } from "@effect/vitest"
import * as English from "@sandtable/core/English"
import { FastCheck as fc } from "effect"

/** Verbs that tools are named by, and the ones whose spelling is least regular among them. */
const verbs = `
  abort accept access acknowledge activate add adjust admit advise aggregate agree alert align allocate allow amend analyze
  annotate answer append apply appoint approve archive arrange ask assess assign attach audit authenticate authorize back ban
  begin benchmark bid bill bind block book borrow bring broadcast browse build buy bypass cache calculate call cancel capture
  carry catch certify change charge chat check choose claim classify clean clear clone close collect combine come commit
  compare compile complete compose compress compute confer configure confirm connect consolidate construct contact control
  convert convey copy correct count crawl create credit cut deactivate deal debit debug declare decline decode decrease
  decrypt deduct defer define delay delegate delete deliver deny deploy deposit describe destroy detach detect determine
  develop dial diagnose disable discard discharge disconnect discover dismiss dispatch display dispute distribute do donate
  download draft draw drop duplicate earn edit elect email embed enable encode encrypt end enforce enroll ensure enter equip
  erase escalate establish estimate evaluate examine exchange exclude execute expand expel expire explain export extend extract
  fail favor fax feed fetch file fill filter finalize find finish fix flag flush fly fold follow forecast forget forward
  freeze fulfill generate get give go grant group grow guess halt handle have hold identify ignore import include increase index
  inform initialize inject input insert inspect install instruct integrate interpret introduce invest invite invoice issue
  join judge jump keep label launch lay lead lease leave lend let level license lift limit link list load localize lock log
  look lower mail maintain make manage map mark match measure merge migrate mirror modify monitor move mute navigate negotiate
  notify observe obtain occur offer omit open order organize overpay override overwrite pack parse pass patch pause pay permit
  pick pin ping plan play plot pluck poll post predict prefer prepare prescribe preview print process procure program promise
  promote propose prove provide provision publish pull purchase purge push put qualify query queue quit quote raise rank rate
  reach read reassign rebook rebuild recall receive recommend reconcile record recover recur redeem redirect redo reduce refer
  refresh refund register reissue reject relay release remind remove rename render renew rent repair repay repeat replace reply
  report request require reroute rerun reschedule reserve reset resize resolve respond restart restore retrieve retry return
  reveal reverse review revise revoke rewrite ride rollback route run save say scan schedule score scrape search see seek select
  sell send separate serve set settle share shift ship show shut sign skip sleep snooze solve sort speak specify spend split stop
  store stream submit subscribe subtract suggest summarize suspend swap switch sync tag take teach tell terminate test think
  throw tie track trade train transcribe transfer transform translate transmit travel trigger trim tune turn type undergo undo
  unlock unpin unplug unsubscribe update upgrade upload use validate verify view visit void vote wait warn wash watch wipe
  withdraw withhold wrap write yield zip
`
  .split(/\s+/)
  .filter((verb) => verb !== "")

describe("forms of verbs", () => {
  it("are tried on over 300 verbs", () => expect(new Set(verbs).size).toBeGreaterThan(300))

  it.each(verbs)("the base of what %s does comes first", (verb) => {
    expect(English.baseForms(English.thirdPerson(verb))[0]).toBe(verb)
  })

  it.each(verbs)("the base of the gerund of %s is among its base forms", (verb) => {
    expect(English.baseForms(English.gerund(verb))).toContain(verb)
  })

  it.each(
    `establish:establishes attach:attaches process:processes fix:fixes buzz:buzzes quiz:quizzes cache:caches go:goes undo:undoes
     carry:carries play:plays have:has be:is veto:vetoes tax:taxes pass:passes use:uses see:sees boo:boos`
      .split(/\s+/)
      .map((pair) => pair.split(":"))
  )("%s: it %s", (verb, expected) => expect(English.thirdPerson(verb ?? "")).toBe(expected))

  it.each(
    `cancel:cancelling make:making refer:referring offer:offering commit:committing edit:editing stop:stopping ship:shipping
     see:seeing agree:agreeing tie:tying die:dying panic:panicking be:being quit:quitting equip:equipping fix:fixing
     play:playing show:showing begin:beginning open:opening visit:visiting travel:travelling fail:failing debug:debugging
     unplug:unplugging overlap:overlapping reset:resetting transfer:transferring enter:entering use:using queue:queuing`
      .split(/\s+/)
      .map((pair) => pair.split(":"))
  )("%s: %s", (verb, expected) => expect(English.gerund(verb ?? "")).toBe(expected))

  it.each(
    `find:found:found send:sent:sent pay:paid:paid write:wrote:written rewrite:rewrote:rewritten undergo:underwent:undergone
     overpay:overpaid:overpaid unbind:unbound:unbound relay:relayed:relayed put:put:put reset:reset:reset cancel:cancelled:cancelled
     ship:shipped:shipped refer:referred:referred offer:offered:offered carry:carried:carried play:played:played
     agree:agreed:agreed withdraw:withdrew:withdrawn hold:held:held take:took:taken choose:chose:chosen freeze:froze:frozen
     split:split:split rebuild:rebuilt:rebuilt lay:laid:laid buy:bought:bought panic:panicked:panicked delay:delayed:delayed
     understand:understood:understood forward:forwarded:forwarded refund:refunded:refunded`
      .split(/\s+/)
      .map((pair) => pair.split(":"))
  )("%s: %s, has %s", (verb, past, participle) => {
    expect([English.past(verb ?? ""), English.participle(verb ?? "")]).toEqual([past, participle])
  })
})

describe("numbers of nouns", () => {
  it.each(
    `order:orders policy:policies day:days status:statuses address:addresses cookie:cookies movie:movies calorie:calories
     analysis:analyses diagnosis:diagnoses axis:axes box:boxes tax:taxes batch:batches cache:caches dish:dishes quiz:quizzes
     purchase:purchases response:responses database:databases license:licenses course:courses nurse:nurses use:uses house:houses
     bus:buses virus:viruses gas:gases alias:aliases leaf:leaves life:lives shelf:shelves archive:archives valve:valves
     person:people child:children woman:women foot:feet criterion:criteria index:indices matrix:matrices medium:media
     hero:heroes photo:photos shoe:shoes tornado:tornadoes key:keys pie:pies size:sizes prize:prizes topic:topics metric:metrics
     process:processes access:accesses business:businesses bonus:bonuses lens:lenses roof:roofs chief:chiefs video:videos`
      .split(/\s+/)
      .map((pair) => pair.split(":"))
  )("%s: %s", (one, many) => {
    expect([English.plural(one ?? ""), English.singular(many ?? "")]).toEqual([many, one])
    expect([English.singular(one ?? ""), English.plural(many ?? "")]).toEqual([one, many])
    expect([English.isPlural(one ?? ""), English.isPlural(many ?? "")]).toEqual([false, true])
  })

  it.each("news series information equipment sms gps analytics logistics traffic headquarters".split(" "))(
    "%s is the same in both",
    (word) => expect([English.singular(word), English.plural(word)]).toEqual([word, word])
  )

  it("are stable: the singular of a singular and the plural of a plural are themselves", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/)
    fc.assert(
      fc.property(word, (noun) => {
        const one = English.singular(noun)
        if (English.isPlural(one)) return // such as "gasess": no word
        expect(English.singular(one)).toBe(one)
      })
    )
  })
})

describe("articles", () => {
  it.each(
    `order:an user:a hour:an honest_answer:an university:a unused_item:an uninstalled_app:an unit:a unique_code:a one:a onion:an
     European:a US_address:a UV_index:a SMS:an SIM_card:a API_key:an URL:a MRI:an ID:an X-ray:an 8:an 11:an 18:an 80:an 110:a
     invoice:an eulogy:a euro:a heir:an house:a umbrella:an usage_report:a utility_bill:a FBI_agent:an PIN:a NASA_launch:a`
      .split(/\s+/)
      .map((pair) => pair.replaceAll("_", " ").split(":"))
  )("%s takes %s", (next, expected) => expect(English.article(next ?? "")).toBe(expected))
})

it("lists are said with a last word", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((items) => English.series(items))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c"
  ])
  expect(English.series(["a", "b", "c"], " or ")).toBe("a, b or c")
})

describe("what other words are made of a verb", () => {
  it("reports it done in one or two words", () => {
    expect(["pay", "withdraw", "reset", "refreeze", "publish"].map(English.pastForms)).toEqual([
      ["paid"],
      ["withdrew", "withdrawn"],
      ["reset"],
      ["refroze", "refrozen"],
      ["published"]
    ])
    expect(["write", "refreeze", "withhold", "relay", "cancel"].map(English.isIrregular)).toEqual([
      true,
      true,
      true,
      false,
      false
    ])
  })

  it.each(
    `cancel:cancellation pay:payment renew:renewal book:booking reserve:reservation modify:modification refer:referring
     subscribe:subscription extend:extension publish:publication submit:submission register:registration revoke:revocation`
      .split(/\s+/)
      .map((pair) => pair.split(":"))
  )("%s has the noun %s", (verb, noun) => {
    expect(English.actNouns(verb ?? "")).toContain(noun)
    expect(noun).toMatch(new RegExp(`^(?:${English.actNounEnding})$`))
  })

  it.each(["cancel cancels cancelled cancelling", "exchange exchanges exchanged exchanging", "address addresses"])(
    "%s have one stem",
    (forms) => expect(new Set(forms.split(" ").map(English.stem)).size).toBe(1)
  )
})

it("a sentence begins in upper case unless with an identifier or a name", () => {
  expect(["the order", "", "a1001 is late", "iPhone", "état", "x_y"].map(English.capital)).toEqual([
    "The order",
    "",
    "a1001 is late",
    "iPhone",
    "État",
    "x_y"
  ])
})
