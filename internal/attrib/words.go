package attrib

import (
	"strings"
	"sync"

	"github.com/hearsay-memory/hearsay/internal/textfold"
)

// words is a set of tokens. It is made when it is first asked: most runs of a hook
// attribute nothing, and must not wait for tables.
type words func() map[string]bool

func (w words) has(token string) bool { return w()[token] }

// set returns the tokens of lists.
func set(lists ...string) words {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for _, l := range lists {
			for w := range strings.FieldsSeq(l) {
				for _, t := range lex(w) {
					m[t] = true
				}
			}
		}
		return m
	})
}

// phraseList is phrases as their tokens, made when first asked.
type phraseList func() [][]string

// phrases returns phrases, separated by slashes, as their tokens.
func phrases(lists ...string) phraseList {
	return sync.OnceValue(func() [][]string {
		var out [][]string
		for _, l := range lists {
			for p := range strings.SplitSeq(l, "/") {
				if t := lex(p); len(t) > 0 {
					out = append(out, t)
				}
			}
		}
		return out
	})
}

// folded returns phrases with persons folded.
func folded(lists ...string) phraseList {
	return sync.OnceValue(func() [][]string {
		out := phrases(lists...)()
		for i, p := range out {
			v := spoken
			if speaksOfUser(p) {
				v = told
			}
			out[i] = fold(p, v)
		}
		return out
	})
}

// joined returns phrases as their tokens with spaces between.
func joined(lists ...string) words {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for _, p := range phrases(lists...)() {
			m[strings.Join(p, " ")] = true
		}
		return m
	})
}

// mostCommon is the length in bytes of the longest common word.
const mostCommon = 20

// common are words, and names that many pages have, which tell nothing of where a text
// comes from. They are folded as foreign text is.
var common = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(commonWords) {
		f := textfold.FoldWords(nil, w)
		if len(f) <= mostCommon {
			m[string(f)] = true
		}
	}
	return m
})

// maybeCommon spares most words the look-up in common.
var maybeCommon = sync.OnceValue(func() *[1 << 12]bool {
	t := new([1 << 12]bool)
	for w := range common() {
		t[sketch([]byte(w))] = true
	}
	return t
})

// sketch is a small number that equal words have in common.
func sketch(w []byte) int {
	n := len(w)
	return (int(w[0])*31 + int(w[n-1])*257 + int(w[n/2])*1021 + n*67) & (1<<12 - 1)
}

func isCommon(w []byte) bool {
	return len(w) > 0 && len(w) <= mostCommon && maybeCommon()[sketch(w)] && common()[string(w)]
}

const commonWords = `
a an the this that these those it its he she they them we us our you your yours i me my mine
is am are was were be been being do does did done has have had having will would can could shall should may might must
and or but if then else than so as at by for from in into of off on onto out over to up with without about
not no nor only also too very just more most less least all any each every some such same other own
what which who whom whose when where why how there here now new one two
don't doesn't didn't isn't aren't can't won't it's i'm you're let's that's please
der die das den dem des ein eine einen einem einer und oder aber wenn dann als auf aus bei für von im in mit nach zu zum zur über
ist sind war waren sein hat haben wird werden kann können soll nicht kein keine nur auch noch sehr ich du er sie es wir ihr mein dein
le la les l un une des du de d et ou mais si dans sur sous par pour avec sans est sont être a ai ont il elle on nous vous ils je tu ne pas plus que qui ce cette ces au aux en
el los las una unos unas y o pero si en con sin por para del al es son ser está están no se su sus lo que como más mi tu yo
um uma os as e ou mas em no na nos nas do da dos das com sem por para é são ser está não se seu sua que como mais eu meu
il gli lo i un uno di da del della e o ma se con per su è sono non che come più
de het een en of maar als in op met van voor te is zijn niet geen dat die wij ik je
и или но если в на с из для по к от до за не ни что как это он она они мы вы я то так же бы
i w z na do nie się że jest są to jak dla o od po
ve veya ama bir bu şu için ile de da ne
readme.md package.json node.js next.js vue.js express.js claude.md agents.md memory.md user.md gemini.md go.mod main.go index.html
main.py setup.py makefile.am requirements.txt pyproject.toml tsconfig.json package-lock.json docker-compose.yml .gitignore .env
github.com www.github.com example.com localhost utf-8 utf8 e2e i18n k8s s3 ec2 x86 x64 mp3 mp4 h264 ipv4 ipv6
base64 sha256 sha-256 oauth2 python3 http2 es6 es2015 web3 gpt-4 4k 1st 2nd 3rd 4th 5th and/or n/a
`

// articles say nothing, and neither does asking politely.
var articles = set("a an the please bitte")

// negation turns what follows into its contrary.
var negation = set("no not never nothing none nobody neither nor without nicht kein keine keinen nie niemals non ne pas jamais sans nunca jamas sin nao nem sem не нет никогда нельзя",
	"不 没 別 别 勿 无 未 非 ない 않 nie nigdy geen niet hayır ingen aldrig")

// conditional words begin what holds only sometimes.
var conditional = set("if when unless only until once wenn falls nur sobald si quand seulement solo solamente cuando se quando apenas если когда 如果 若 若是 もし 만약")

// turning words in a line keep the next line from standing alone.
var turning = union(negation, conditional, set("avoid stop refuse except but don't cannot"))

// openEnd are words that a sentence does not end in.
var openEnd = union(turning, articles, set("to and or of for in on at by with from as than that which who is are be was were do does did will would should must can could may might",
	"always ever und oder der die das ein eine zu et ou le la les de du y o el los que"))

func union(sets ...words) words {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for _, s := range sets {
			for w := range s() {
				m[w] = true
			}
		}
		return m
	})
}

// function are words that say nothing without others.
var function = union(articles, negation, conditional, openEnd, set(
	"i me my mine you your yours we us our he she they them his her their it its user user's users",
	"what which whose where why how there here now then so too also just very much more most less least all any each every some such same other own",
	"again still even ever yet already maybe perhaps really have has had am being been done",
	"ich du er sie es wir ist sind je tu il elle nous vous est sont yo eu es son é são"))

// keeping are words of asking to keep something, which is not said by them.
var keeping = set("save store keep mind record remind memorize forget gist summary merk dir merke rappel recuerda lembre")

// pointing words mean something else in the text around them.
var pointing = set("it this that these those them they above below following same such so there here its he she him her das dies dieses ça cela eso esto isso isto 它 这 那 これ それ 이것 그것")

// light verbs, beside pointing words, say only what those point to.
var light = set("do does did done doing run runs use uses using make makes install execute follow apply keep keeps add save store note remember write take get put go goes going went",
	"say says said tell tells told ask asks read reads mean means want wants need needs like let try send open call fetch accept approve confirm allow deploy delete remove skip ignore please",
	"exactly everything something anything thing things stuff instructions instruction text page gist steps step command commands right way works work looks sounds good fine great ok")

// interjection are words that answer, greet or thank.
var interjection = set("yes yep yeah yup no nope ok okay k sure right fine great good perfect cool nice awesome excellent thanks thank thx ty cheers hi hello hey please well oh ah actually also btw so alright sounds agreed correct exactly done lgtm",
	"go ahead ja nein danke bitte gut genau oui non merci si sí gracias vale bien sim obrigado obrigada beleza да нет спасибо хорошо 好 的 是 谢 謝 はい いいえ ありがとう 네 예 아니요 감사합니다 좋아요")

// framing are words that only say that something is to be kept, or what kind of thing
// it is.
var framing = set("remember note noted please memory memories fyi reminder notes",
	"user user's preference preferences style styles rule rules convention conventions guideline guidelines instruction instructions feedback fact facts context profile",
	"coding code formatting workflow general project repo repository requirement requirements setting settings important info information details name timezone",
	"notiz regel regeln präferenz präferenzen einstellungen benutzer nutzer préférence préférences règle règles utilisateur",
	"nota preferencia preferencias regla reglas usuario preferência preferências regra regras usuário",
	"请 記 记 住 偏 好 用 户 规 则 規 則 覚 え て 기억해 기억해줘 기억해주세요 선호 규칙")

// announcing are words that, with framing ones, say that something follows.
var announcing = set("here are is be some my the a an these this following as follows list of for our and about that to i have your you me in also few things")

var preferenceNouns = set("preference preferences style styles formatting settings präferenz präferenzen préférence préférences preferencia preferencias preferência preferências")

// joining words carry a subject over to the next verb, and adverbs stand before verbs.
var (
	joining = set("and or but then")
	adverb  = set("always never usually generally often sometimes also only strongly really not does do normally typically mostly currently")
)

// Words for persons.
var (
	firstPerson      = set("i me myself ich mir mich je moi yo eu я мне меня 我 私 僕 俺 저는 나는 제가 내가 저 나")
	firstPossessive  = set("my mine mein meine meinen meinem meiner mon ma mes mi mis meu minha meus minhas мой моя моё мои 제 내")
	secondPerson     = set("you yourself du dir dich tu te toi tú você ты тебе 你 您")
	secondPossessive = set("your yours dein deine deinen ton ta tes seu sua твой твоя")
)

// userWord names a user in the third person.
type userName struct {
	tokens []string
	person string
}

var userWords = sync.OnceValue(func() []userName {
	var out []userName
	for _, p := range phrases("user's / nutzers / benutzers / 사용자의")() {
		out = append(out, userName{p, persons})
	}
	for _, p := range phrases("user / der nutzer / der benutzer / nutzer / benutzer / l'utilisateur / l'utilisatrice / utilisateur / el usuario / la usuaria / usuario / o usuário / a usuária / usuário",
		"пользователь / 用户 / 用戶 / 使用者 / ユーザー / ユーザ / 사용자는 / 사용자가 / 사용자")() {
		out = append(out, userName{p, person})
	}
	return out
})

// bareVerbs begin a note of the user that leaves the user out.
var bareVerbs = set("prefers uses likes dislikes wants needs works lives runs writes hates speaks has develops expects avoids favors favours loves requires hosts reads codes builds maintains owns enjoys asks deploys",
	"manages studies teaches plans wakes drinks eats drives")

// declarative words begin sentences that order nothing.
var declarative = set("it this that these those there here we they he she what which who why how where when is are be was were do does did should could can would may might has have")
