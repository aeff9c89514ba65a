"""Words that say who or what a mention may be: pronouns by form, gender, number and person, and nouns, titles and names of one gender.

English, and ours: no list is taken from a resource. What is not here is left to what the training data show.
"""

from typing import NamedTuple

UNKNOWN, MALE, FEMALE, THING, PERSON = range(5)  # gender; PERSON: either of the two
SINGULAR, PLURAL = 1, 2  # number; 0: either
FORMS = ("common", "proper", "i", "we", "you", "he", "she", "it", "they", "who", "which", "one", "this", "some", "here")


class Pronoun(NamedTuple):
    """What a pronoun says of whom it means."""

    form: int  # a place in FORMS
    gender: int
    number: int
    person: int  # 0: any


def _pronouns() -> dict[str, Pronoun]:
    table = """
        i 4 1 1: i me my mine myself
        we 4 2 1: we us our ours ourselves
        you 4 0 2: you your yours yourself yourselves ye thou thee thy thine thyself
        he 1 1 3: he him his himself
        she 2 1 3: she her hers herself
        it 3 1 3: it its itself 't
        they 0 2 3: they them their theirs themselves 'em
        who 4 0 0: who whom whose whoever
        which 0 0 0: which that what
        one 4 1 0: one oneself someone somebody anyone anybody everyone everybody nobody another each either neither
        this 0 0 0: this these those
        some 0 2 0: all both some many others most few several none any
        here 3 1 0: here there where
    """
    out: dict[str, Pronoun] = {}
    for line in table.strip().splitlines():
        facts, _, words = line.partition(":")
        form, *numbers = facts.split()
        out |= {word: Pronoun(FORMS.index(form), *map(int, numbers)) for word in words.split()}
    return out


PRONOUNS = _pronouns()

MALE_WORDS = frozenset(
    """
    mr mr. sir lord king prince duke count baron earl viscount marquis emperor monsieur m. don signor senor herr father papa dad daddy pa
    son brother uncle nephew grandfather grandpa grandson husband bridegroom widower bachelor man men gentleman gentlemen boy boys lad
    fellow fellows chap guy priest monk friar bishop abbot pope parson vicar squire knight captain colonel general major lieutenant
    sergeant corporal admiral soldier sailor footman butler groom valet landlord waiter policeman coachman workman fisherman fireman
    postman foreman chairman spokesman businessman nobleman clergyman englishman frenchman irishman scotchman dutchman master actor hero
    god wizard
    john william james george charles henry thomas robert edward richard joseph david arthur jack tom harry dick peter paul philip francis
    frank samuel sam ben benjamin daniel stephen walter fred frederick albert alfred edgar hugh ralph oliver simon adam andrew anthony
    tony bob jim joe bill nicholas nick louis ned michael mark matthew luke christopher martin alexander alan allan patrick brian kevin
    eric steven gary larry scott donald kenneth roger ernest herbert harold leonard lawrence gilbert godfrey geoffrey jasper jacob isaac
    abraham moses joshua aaron jonathan tim timothy theodore victor vincent
    """.split()
)
FEMALE_WORDS = frozenset(
    """
    mrs mrs. miss ms. ms lady madam madame mme mademoiselle queen princess duchess countess baroness marchioness empress dame mother mamma
    mama mum mummy ma daughter sister aunt niece grandmother grandma granddaughter wife bride widow spinster woman women gentlewoman girl
    girls lass maid maiden maidservant nun abbess nurse governess housekeeper housemaid landlady mistress waitress actress hostess heroine
    goddess witch spokeswoman chairwoman englishwoman frenchwoman
    mary anne ann anna jane elizabeth eliza margaret catherine katherine kate kitty emma sarah sara alice lucy fanny dorothy dora maria
    marie helen ellen clara rose charlotte emily julia louisa amy grace susan harriet caroline eleanor isabel isabella edith florence
    agnes martha hester esther ruth betty bessie nancy lily lydia molly sophia henrietta laura rosa ursula barbara linda jennifer patricia
    lisa karen donna carol sandra sharon michelle kimberly deborah rebecca rachel judith hannah victoria virginia georgiana augusta diana
    cecilia beatrice blanche constance flora gertrude ida jessie josephine lavinia mabel marian matilda maud minnie miriam phoebe sylvia
    """.split()
)
THING_WORDS = frozenset(
    """
    house room door town city country county village street road lane avenue square place world earth sea ocean river lake island ship
    boat vessel garden park church chapel abbey cathedral school college university station hotel inn tavern castle palace hall kitchen
    parlour bedroom chamber cottage cabin tent forest wood woods mountain hill valley field farm plain desert shore coast beach bay harbour
    port train carriage cart car coach wagon library office shop store market prison land kingdom state nation government company firm bank
    club council court committee party museum theatre hospital bridge border region district
    london paris england france america rome europe india ireland scotland wales germany italy spain russia africa asia york boston
    """.split()
)
PLURAL_WORDS = frozenset(
    """
    men women people children folk folks persons gentlemen ladies boys girls servants soldiers sailors parents friends brothers sisters
    sons daughters crowd family police couple pair group team staff troops neighbours guests
    """.split()
)
DEFINITE = frozenset("the this that these those".split())
INDEFINITE = frozenset(
    "a an some any another no every each one two three four five six seven eight nine ten many several few other".split()
)
POSSESSIVE = frozenset("my our your his her its their thy thine mine whose".split())
BEHIND_HEAD = frozenset(
    """
    , ; : -- - ( — – of in with who which that at on from to for by whom whose where under over near upon about behind before after into
    within without beyond against between among like as than when and or
    """.split()
)
TITLES = frozenset("mr mr. mrs mrs. miss ms. ms sir lady lord dr dr. captain colonel madame monsieur aunt uncle professor judge".split())
POSSESSIVE_ENDS = ("'s", "’s", "'", "’")
