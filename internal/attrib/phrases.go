package attrib

// frontPhrases frame what follows them.
var frontPhrases = phrases(
	"please remember that / please remember to / please note that / please keep in mind that / please make sure to / please",
	"also remember that / and remember that / remember that / remember to / btw / by the way / hey / ok so / okay so",
	"note that / keep in mind that / bear in mind that / don't forget that / don't forget to / for the record / just so you know / fyi / make a note that / make sure to / make sure that / be sure to",
	"add to memory that / add to your memory that / save to memory that",
	"bitte merk dir dass / merk dir dass / merke dir dass / bitte beachte dass / denk daran dass / bitte",
	"souviens-toi que / rappelle-toi que / retiens que / n'oublie pas que / note que / s'il te plaît / s'il vous plaît / stp / svp",
	"recuerda que / ten en cuenta que / no olvides que / por favor / lembre-se de que / lembre-se que / lembra que / lembre que / não esqueça que",
	"запомни что / пожалуйста / помни что",
	"请你记住 / 请记住 / 請記住 / 请记得 / 记住 / 記住 / 记得 / 请注意 / 请 / 請 / 覚えておいて / 覚えて / 기억해줘 / 기억해 / 기억해주세요")

// frontNouns frame what follows only with a colon or comma between, or where a sentence
// begins after them: "remember I use tabs", not "remember passwords".
var (
	frontNouns = phrases("remember / please remember / and remember / also remember / note / please note / keep in mind / important / reminder / save to memory / add to memory / for future reference / merk dir / bitte merk dir / recuerda / запомни")
	frontNext  = set("i i'm my we we're our always never don't")
)

// framingClauses are set apart by commas at the front or the end, and only frame.
var framingClauses = joined(
	"remember that / remember this / remember it / please remember / please remember that / please remember this / please remember it / remember / and remember that / and remember it / so remember that / so remember it / keep that in mind / keep this in mind / please keep that in mind / note that / note this / please note that / please note / note it / take note / make a note / make a note of that / noted",
	"please / thanks / thank you / thanks a lot / many thanks / cheers / for the future / for future reference / for next time / for the record / just so you know / fyi / btw / by the way / don't forget / don't forget that / don't forget it / save that / save this / save that to memory / save this to memory / save it to memory / add that to memory / add this to memory / add it to memory / add that to your memory / store that / note the gist / note to self / remember that for next time / remember this for next time / remember that for the future / remember this for the future / please remember that for next time / please remember this for the future",
	"bitte / danke / merk dir das / merke dir das / bitte merken / bitte merk dir das / merk dir das bitte / für die zukunft / in zukunft bitte / nur zur info / vergiss das nicht",
	"s'il te plaît / s'il vous plaît / stp / svp / merci / souviens-toi / souviens-t'en / retiens-le / retiens ça / note-le / pour l'avenir / pour info / n'oublie pas",
	"por favor / gracias / recuérdalo / recuerda eso / recuerda esto / tenlo en cuenta / para el futuro / no lo olvides / anótalo",
	"obrigado / obrigada / lembre-se disso / lembra disso / lembre disso / anota isso / para o futuro / não esqueça",
	"пожалуйста / спасибо / запомни это / запомни / на будущее",
	"请记住 / 請記住 / 请记住这一点 / 请记住这个 / 记住 / 記住 / 记住这一点 / 记一下 / 谢谢 / 謝謝 / 请 / 拜托",
	"覚えておいて / 覚えておいてください / 覚えて / お願いします / よろしく / ありがとう",
	"기억해 / 기억해줘 / 기억해주세요 / 기억해 줘 / 부탁해 / 부탁해요 / 고마워 / 감사합니다 / 참고로")

// standingPhrases make an order a standing one. A note may leave them out; it may not
// add them.
var standingPhrases = folded(
	"from now on / from here on / going forward / in future / in the future / for the future / for now on / as of now",
	"ab jetzt / von jetzt an / ab sofort / in zukunft / künftig / désormais / dorénavant / à partir de maintenant / à l'avenir",
	"a partir de ahora / de ahora en adelante / en adelante / a partir de agora / de agora em diante / с этого момента / отныне",
	"从现在开始 / 从现在起 / 今后 / 以后 / 今後 / これから / これからは / 앞으로 / 앞으로는 / 이제부터")

// preferring begins what the user prefers, as the user says it; preferringTold, as a
// note tells it.
var (
	preferring = folded(
		"prefer / i prefer / i'd prefer / i would prefer / i prefer you to / i have a preference for",
		"ich bevorzuge / je préfère / prefiero / yo prefiero / prefiro / eu prefiro / 我更喜欢 / 我偏好 / 我倾向于 / 我倾向 / 저는 선호")
	preferringTold = folded(
		"user prefers / user would prefer / user has a preference for / preference / preferences / user preference / user preferences / user's preference / user's preferences",
		"nutzer bevorzugt / der nutzer bevorzugt / benutzer bevorzugt / bevorzugt / l'utilisateur préfère / utilisateur préfère / préfère",
		"el usuario prefiere / usuario prefiere / prefiere / o usuário prefere / usuário prefere / prefere",
		"用户更喜欢 / 用户偏好 / 用户倾向于 / 用户倾向 / 偏好 / 更喜欢 / 사용자 선호 / 선호")
)

// preferenceLabels label a preference where a colon or "is" follows.
var preferenceLabels = folded(
	"preference / preferences / my preference / my preferences / personal preference / style preference / coding preference / preferred / coding style / code style / style / coding style preference / formatting / formatting preference / my coding style / my code style",
	"user preference / user preferences / user's preference / user's preferences / user's coding style / user's code style",
	"präferenz / préférence / preferencia / preferência / 偏好 / 선호")

// orders begin what the user tells the agent to do.
var orders = folded("i want you to / i'd like you to / i would like you to / i need you to / i expect you to",
	"ich möchte dass du / ich will dass du / 我要你 / 我希望你")

// wishes begin, in a note, what the user wants to be done.
var wishes = folded(
	"i want you to / i'd like you to / i would like you to / i need you to / i expect you to",
	"user wants you to / user wants me to / user wants us to / user wants the agent to / user wants the assistant to / user wants claude to / user asked me to / user asked you to / user asked to / user asks to / user asks me to / user asks you to / user wants to always have / user would like me to / user would like you to / user expects me to / user expects you to / user requested to / user requests to / user instructed to / user instructed me to / user told me to / user said to / user says to / user needs me to",
	"ich möchte dass du / ich will dass du / 我要你 / 我希望你 / 用户要求 / 用户希望")

// rules begin an order that stands after them.
var rules = folded(
	"rule : / rules : / note : / note that / instruction : / instructions : / user instruction : / requirement : / convention : / project convention : / project rule : / guideline : / reminder : / remember : / workflow : / memory : / feedback : / fact : / lesson : / lesson learned : / important : / user rule : / user feedback : / user says : / user said : / user : / directive : / always remember :",
	"regel : / règle : / regla : / regra : / 规则 : / 規則 : / 规定 : / 規則 : / ルール : / 규칙 :")

// places begin where the user is.
var places = folded(
	"i am in / i'm in / i live in / i am based in / i'm based in / i'm located in / i am located in / i work from / i'm on / i am at",
	"ich bin in / ich wohne in / ich lebe in / je suis à / j'habite à / vivo en / estoy en / moro em / estou em / 我在 / 我住在")

// names begin what the user is called.
var names = folded("my name is / call me / i'm called / i am called / i go by / name's / ich heiße / mein name ist / je m'appelle / mi nombre es / me llamo / meu nome é / me chamo / 我叫 / 我的名字是")

// labelKinds are nouns of what the user is or has, with the form that they make.
var labelKinds = map[string]string{
	"timezone": zoneForm, "time zone": zoneForm, "tz": zoneForm, "zeitzone": zoneForm,
	"location": placeForm, "city": placeForm, "home": placeForm, "based in": placeForm, "lives in": placeForm,
	"name": nameForm, "user name": nameForm, "preferred name": nameForm,
	"role": roleForm, "job": roleForm, "occupation": roleForm, "profession": roleForm, "position": roleForm,
}

// Words of someone else's speech.
var (
	others = set("it he she they someone somebody people everyone page pages site website webpage article articles doc docs documentation readme post author authors blog issue ticket comment comments email mail message guide tutorial manual vendor boss manager colleague coworker teammate team client customer bot assistant agent model",
		"er sie man seite artikel il elle page site él ella página ele ela он она страница")
	reporting = set("says said saying tells told suggests suggested suggesting recommends recommended recommending claims claimed states stated mentions mentioned instructs instructed advises advised according quote quoted quoting quotes quoth suppose supposedly imagine pretend hypothetically allegedly pasted verbatim copied",
		"sagt sagte sagten laut empfiehlt behauptet meint meinte heißt dit disait selon d'après recommande prétend affirme dice dicen dijo según recomienda afirma diz disse segundo recomenda afirma говорит сказал сказала согласно рекомендует")
	reportingBase  = set("say tell suggest recommend claim state mention instruct advise want wants wanted ask asks asked write writes wrote insists think thinks thought reads contains contained")
	reportingChars = []string{"说", "說", "写道", "寫道", "根据", "根據", "声称", "建议", "建議", "によると", "によれば", "と言", "という", "と書", "라고", "따르면", "말했", "하래"}
)

// Words of giving a text to work on: placing and handing ones do by themselves, workingOn
// with a pointing word at the end of a line, documents with a pointing word or "here".
var (
	placing   = set("following below pasted pasting attached quoted folgende folgenden folgender suivant suivante ci-dessous siguiente abajo seguinte abaixo")
	handing   = set("summarise summarize translate proofread rephrase paraphrase rewrite reword transcribe tldr übersetze übersetz zusammenfassen traduis traduisez résume résumez traduce resume resumir traduzir traduza переведи перескажи")
	workingOn = set("explain review check fix analyze analyse look read see parse process reply respond answer what think thoughts grammar wrong got found received saw sent wrote idea draft correct improve shorten edit comment happened help understand verify compare consider")
	documents = set("article email e-mail mail message text page post doc document documentation readme log logs output error errors trace stacktrace transcript ticket issue letter note excerpt snippet draft content contents review report paper tweet thread chat conversation prompt spec template artikel seite correo texto texte mensaje message",
		"advice suggestion instructions")
	handingChars = []string{"翻译", "翻譯", "总结", "總結", "以下", "下面", "翻訳", "要約", "次の", "번역", "요약", "다음"}
)

// Words that take back or limit what was said before.
var (
	qualifying        = set("but unless except excepting however otherwise though although wait nevermind nah jk kidding aber außer jedoch sonst sauf mais sinon pero salvo excepto sino mas exceto senão но кроме 但 除 でも しかし ただし 하지만 그러나 단")
	qualifyingPhrases = phrases("never mind / just kidding / only if / only when / not really / scratch that / not if / not when / forget that / forget it / ignore that / 不过 / 但是 / 除非 / es sei denn / à moins / a menos / a não ser")
)

// abbreviations end in a point that ends no sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "eg": true, "ie": true, "etc": true, "vs": true, "cf": true, "mr": true, "mrs": true, "ms": true, "dr": true,
	"approx": true, "incl": true, "excl": true, "resp": true, "fig": true, "nr": true, "z.b": true, "d.h": true, "u.a": true, "bzw": true,
	"usw": true, "ca": true, "p.ex": true, "p.e": true, "ej": true, "aprox": true, "т.е": true, "u.s": true, "a.m": true, "p.m": true,
}
