"""What the stories can say: names, things, places, events with their templates, and plots. `stories.py` reads it.

A line of NAMES has an age, a gender and names; a line of THINGS has kinds, adjectives and nouns. A block of PLACES has a
noun, its preposition and its kinds, then the spots where something may lie, then what is to be seen there. A line of
WRONG has what a condition is about, with "!" if that must not be, and what to say if it fails.

A block of EVENTS has a name ("+" if it may follow "and" or an opener), roles ("*" for people who need not be awake and
there), conditions ("~" for one that only the generator keeps, so that nothing is told twice), ">" and effects, then the
templates: "{A}" is a role, "{A his}" its possessive, "(a|b)" a choice.

A block of PLOTS has a name and a cast, then steps: "?" for one that may be left out, "/" between events of which one that
is possible is taken, "so >" and "but >" before a clause that is joined to the last one, "|" for a new paragraph.
"""

# ruff: noqa: E501

NAMES = """
child f | Mia, Anna, Lily, Emma, Zoe, Ruby, Nora, Ella, Lucy, Clara, Rosa, Alice
child m | Tom, Ben, Max, Leo, Sam, Jack, Finn, Oscar, Noah, Paul, Hugo, Theo
adult f | Grandma Rose, Aunt May, Grandma Helen, Aunt Martha
adult m | Grandpa Joe, Uncle Bob, Grandpa Albert, Uncle Frank
"""

THINGS = """
toy | red blue green yellow wooden shiny new old striped purple | kite doll puppet robot train boat wagon scooter sled rocket truck tractor windmill castle plane telescope
ball | red blue green yellow orange bouncy new big | ball balloon frisbee hoop
trinket | silver golden shiny tiny old pretty little round | ring coin key whistle button shell marble pebble medal necklace bracelet brooch watch compass locket badge bell pendant pin stamp
book | thick old funny new colorful little | book diary atlas comic notebook storybook
wear | warm soft red gray woolen blue new thick | hat scarf coat cap sweater jacket shawl hood apron vest
food treat | fresh sweet warm big tasty small crunchy | cookie muffin sandwich pie pancake bun waffle cupcake doughnut pretzel tart biscuit
food fruit | ripe juicy sweet big fresh red | apple pear plum peach cherry strawberry melon apricot
music | wooden old shiny little new golden | drum flute trumpet guitar violin harp banjo accordion
tool | old heavy long sturdy rusty big | ladder rope shovel rake saw crowbar pole
light | old bright little brass small | lantern torch lamp candle
umbrella | big black yellow striped old green | umbrella parasol
box | wooden big little old square heavy | box basket chest trunk suitcase crate coffer
pet visitor | little gray brown white black fluffy tiny hungry | kitten puppy rabbit hedgehog squirrel
pet | little gray brown white black fluffy tiny hungry | duckling lamb goat piglet chick
bird | little brown black gray blue young | sparrow robin owl crow pigeon swallow
fragile | blue white pretty old painted tall | vase cup plate bowl mirror teapot jug clock mug
plant | red yellow tall pretty pink bright | rose tulip sunflower daisy poppy pumpkin tomato orchid
treasure | ancient precious sparkling huge shimmering splendid | crown pearl diamond statue goblet ruby sword
cake | big round sweet tall beautiful | cake pudding cheesecake
tower | tall big fine strong wonderful | tower bridge fort hut wall cabin pyramid arch
drawing | colorful beautiful large bright funny | picture painting drawing card poster
"""

PLACES = """
home at home
under the bed;behind the sofa;behind the bookcase
a pot of soup bubbled on the stove;the house smelled of cinnamon;the old floor creaked;a fire burned in the fireplace

park in outdoor near
under a bench;behind the oak;beside the fountain
the leaves danced in the breeze;children were laughing on the swings;a squirrel ran up the oak;people walked along the paths

beach on outdoor far
behind a rock;under a towel;between two boats
the waves rolled over the sand;seagulls circled above the water;the salty air smelled wonderful;a crab walked sideways

forest in outdoor far wild
under a fern;behind a fallen log;between the roots of a tree
sunlight shone through the branches;a woodpecker knocked on a trunk;mushrooms grew everywhere;the pine trees whispered

garden in outdoor near soil
under the apple tree;behind the shed;between the cabbages
bees hummed around the flowers;a snail crawled up a leaf;butterflies fluttered about;the roses smelled sweet

market at near shop
under a cart;behind a barrel;between two stalls
farmers sold carrots and onions;the baker called out his prices;a crowd stood around a juggler;it smelled of cheese and herbs

library in near indoor
under a desk;behind the shelves;on the windowsill
it was very quiet there;rows of shelves reached the ceiling;an old clock ticked softly;dust floated in the sunlight

school at near indoor
under a chair;behind the blackboard;on the teacher's desk
maps hung on the walls;chalk dust covered the board;pupils hurried along the corridor;someone practiced the piano

farm on outdoor far soil
under the hay;behind the barn;beside the henhouse
cows chewed the grass;a rooster crowed proudly;pigs rolled in the mud;the farmer fed the horses

river at outdoor far water
under the bridge;behind the reeds;between the stones
the water sparkled;a fish jumped high;dragonflies buzzed over the water;ducks swam in a line

hill on outdoor far wild
under a bush;behind a boulder;in the tall grass
the wind blew hard up there;sheep grazed on the slope;the whole valley lay below;clouds drifted across the sky

lake at outdoor far water
under the dock;behind the boathouse;between the bushes
swans glided past;the water was as smooth as glass;frogs croaked among the lilies;a fisherman waited patiently

barn in far indoor
under the straw;behind a wheelbarrow;on a dusty beam
swallows nested under the roof;mice rustled in the straw;the air was warm and dusty;a horse snorted quietly

meadow in outdoor far wild
under a thistle;behind a haystack;among the clover
crickets chirped in the grass;wildflowers bloomed all around;a lark sang high above;the grass tickled their feet

harbor at outdoor far water
under a net;behind the lighthouse;between two crates
sailors were loading a ship;ropes hung from the masts;the lighthouse towered over the boats;a foghorn sounded in the distance

museum in near indoor
under a glass case;behind a column;on the marble stairs
a dinosaur skeleton filled the hall;portraits hung in golden frames;visitors spoke in low voices;a guard yawned in the corner

playground at outdoor near
under the slide;behind the climbing frame;near the seesaw
some children were playing tag;the seesaw squeaked;toddlers dug in the sandpit;a dog barked behind the fence

fair at near shop
under a tent;behind the carousel;beside the ticket booth
colored lamps glowed everywhere;the merry-go-round turned and turned;it smelled of popcorn;clowns walked on stilts

shop in near shop indoor
under the counter;behind a mannequin;on the lowest shelf
the shelves were full to the ceiling;a little bell rang at the door;the shopkeeper wrapped parcels;price tags dangled everywhere

square on outdoor near
under the statue;behind the well;beside a lamppost
pigeons pecked at crumbs;the church bells rang;a musician played a merry tune;the cobblestones were shiny
"""

OPENERS = "then;soon;after that,;after a while,;a little later,;a few minutes later,;before long,;a moment later,"

WRONG = """
at | {who} is somewhere else, or nobody said where
!at | {who} is already there
: | {who} is no {what}
@ | there is no such thing at this place
named | nobody has spoken of {who}
!named | {who} is already there
asleep | {who} is awake
!asleep | {who} is asleep
mood | {who} has no reason to feel like that
holder | {who} is not where it would have to be
!holder | {who} is with somebody
owner | {who} belongs to somebody else
!owner | {who} has an owner
spot | {who} is not in that spot
gone | {who} is still there
!gone | {who} is gone
broken | {who} is not broken
!broken | {who} is broken
fixed | {who} was not mended
open | {who} is not open
!open | {who} is already open
closed | {who} was not closed
locked | {who} is not locked
hot | {who} is not hot
!hot | {who} is too hot
lit | {who} is not lit
fed | {who} was not fed
hurt | {who} is not hurt
nursed | nobody cared for {who}
healed | {who} is not well yet
guilty | somebody else broke {who}
rain | it is not raining
!rain | it is raining
night | it is not night
!night | it is night
!dry | {who} is dry
dry | {who} is out in the rain
wet | {who} is not wet
!seen | that was said before
tried | {who} was not looking for anything
wish | {who} did not ask for it
asked | {who} was not asked
borrowing | {who} did not ask for it
!borrowing | {who} has already asked for something
promise | {who} made no promise
debt | {who} has nothing to be sorry or thankful for
!debt | {who} has already said so
sorry | {who} was not sorry
friend | {who} is not such a friend
invited | {who} was not invited
offered | {who} was offered nothing
coins | {who} has no coins
!coins | {who} has coins already
birthday | it is not the birthday of {who}
!birthday | the birthday was mentioned before
race | there is no race
!race | they are racing already
go | the race has not begun
!go | the race has begun
lead | {who} is not in front
!lead | {who} is in the race already
helping | {who} did not help
lost | {who} did not lose
map | {who} has no map
!map | {who} has a map already
dest | the map shows another place
!dest | the place is known already
hungry | {who} is not hungry
!full | {who} has just eaten
baking | {who} is not baking
!baking | {who} is baking already
mixed | {who} has no dough
bed | {who} is not in bed
!bed | {who} is in bed already
scared | {who} is not scared
!scared | {who} is scared already
calm | {who} has not seen what it was
seed | {who} has planted nothing
!seed | {who} has planted a seed already
watered | {who} has not watered it
!watered | {who} has watered it already
hint | {who} does not know of it
lied | {who} told no lie
confessed | {who} has not told the truth
lostway | {who} knows the way
dare | {who} is not afraid of the water
!dare | {who} was afraid before
tired | {who} is not tired
"""

EVENTS = """
born A*: !A.named !story.seen > A.at=home story.seen
once upon a time, there was a (|kind |clever |cheerful |curious |gentle |lively |quiet |bold |brave |busy ){A girl} named {A name}
once there was a (|kind |clever |cheerful |curious |gentle |lively |quiet |bold |brave |busy ){A girl} whose name was {A name}
in a (small|quiet|sunny|peaceful) (town|village) (by the sea|near the mountains|at the edge of a forest|far away), there lived a {A girl} called {A name}
{A name} was a (kind|clever|cheerful|curious|gentle|lively|quiet|bold|brave|busy) {A girl} who (liked to laugh|loved adventures|asked many questions|was never bored)

likes A*: A.named ~A.seen > A.seen
{A} loved to (sing|draw|climb trees|collect leaves|tell jokes|build things|count the stars|dance)
more than anything else, {A} liked (sunny mornings|long walks|riddles|fairy tales|surprises|counting clouds)
{A his} favorite season was (spring|summer|autumn|winter)
{A his} favorite color was (blue|green|yellow|purple|orange|silver)

owned A* x: A.named !A.asleep !x.holder > x.holder=A x.owner=A
{A} had {x a} that {A} (loved|treasured|liked) (very much|more than anything)
for {A his} birthday, {A} had been given {x a}
{A his} (greatest|dearest|proudest) possession was {x a}
{A} owned {x a} and took good care of it

goes+ A p: !A.at=p !story.night > A.at=p
{A} (walked|went|ran|skipped|strolled|hurried) {p to}
{A} set off and (walked|wandered|marched) {p to}

day A p: !A.at=p !story.night ~story.day > A.at=p story.day
one (sunny|bright|warm|windy|cloudy|fine|cool) (morning|afternoon|day), {A} (walked|went|ran|skipped|hurried) {p to}
on (Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday), {A} (went|walked|ran|cycled) {p to}
it was a (lovely|beautiful|glorious|bright) (spring|summer|autumn) (morning|day), and {A} went {p to}

both A B p: !A.at=p !story.night > A.at=p B.at=p
{A} and {B name} (walked|went|ran|hurried) {p to} together
the two (children|friends) {A name} and {B name} (walked|raced|strolled) {p to}
{A} took {B him} (along |)(by the hand and led the way |){p to}

home+ A: !A.at=home > A.at=home
{A} (went|walked|ran|hurried) home
{A} said goodbye and (went|walked|strolled) home

homeboth A B: !A.at=home > A.at=home B.at=home
{A} and {B name} (went|walked|ran) home (together|side by side|hand in hand|arm in arm)
in the evening, {A} and {B name} (went|walked) home

friend A B*: !B.named > B.at=A.at
{A his} (best |good |old |)friend {B name} was (there|waiting there), too
there {A} (met|saw) {A his} (cousin|neighbor|classmate|friend) {B name}
{A} (found|greeted|ran into) {A his} (cousin|neighbor|classmate|friend) {B name} there

stranger A B*: !B.named > B.at=A.at B.mood=bad B.friend=none
there {A} (saw|noticed) a {B girl} named {B name}, who was (sitting|standing|playing) all alone
a {B girl} whom nobody knew was (sitting|standing) there all alone: it was {B name}
a new {B girl} named {B name} stood there (shyly|quietly|silently) and looked at the ground

visitor A B*: !B.named > B.at=A.at
{B name} came to (see|visit) {A him}
{B name} was (resting|working|waiting|sitting) there, too
just then, {A} (met|saw|noticed) {B name} there

scene d: d@story.here ~story.scene > story.scene
{d}

plays+ A x: x.holder=A x:toy !x.broken !A.asleep !story.rain > A.mood=good
{A} played (happily |merrily |)with {x}
{A} played with {x} (for a long time|all morning|for an hour)
{A} had (great|so much|a lot of) fun with {x}

ball A B x: x.holder=A x:ball !story.rain > A.mood=good B.mood=good x.thrown
{A} and {B name} (threw|tossed|passed) {x} (back and forth|to each other)
{A} (threw|tossed) {x} to {B him}, and {B} threw it back

music+ A x: x.holder=A x:music !x.broken > A.mood=good
{A} played (a lively|a merry|a slow|a beautiful) (song|tune|melody) on {x}
{A} practiced on {x} until {A his} fingers hurt

reads+ A x: x.holder=A x:book > A.mood=good
{A} (read|opened|studied) {x} (from beginning to end|page by page|with great interest)
{A} sat down and read {x}

lose A x: x.holder=A > x.holder=lost x.at=A.at A.mood=bad
but on the way, {x} (fell|slipped|dropped) out of {A his} (pocket|hand|bag)
suddenly {A} noticed that {x} was (gone|missing)
when {A} (looked down|turned around|sat down), {x} was (gone|missing|nowhere to be seen)
{A} (searched|checked|felt in) {A his} pockets, but {x} was not there

search+ A x: x.holder=lost x.at=A.at > A.tried
{A} (looked|searched) everywhere for {x}
{A} looked (left and right|high and low) for {x}
{A} walked back and forth and (looked|searched) for {x}

nothere A s: A.tried s@A.at !s.seen > s.seen
{A} looked {s}, but (there was nothing there|nothing was there|found only dust|it was empty)
there was nothing {s}

tellloss A B x: x.holder=lost x.owner=A > B.asked
"I (have lost|lost|cannot find) {x my}," {A said} (sadly|in tears|with a sigh|quietly)
"{B name}, have you seen {x my}?" {A asked}
"{x My} is gone!" {A cried}

askwrong A B: A.mood=bad ~A.asked ~B.wish > B.wish
"(What is wrong|What happened|Why are you sad)?" {B asked}
"Why do you look so (sad|unhappy|gloomy)?" {B asked}
"Are you all right, {A name}?" {B asked}

offer A B: A.mood=bad ~B.promise > B.promise=help
"Do not (worry|cry)," {B said}, "I will help you"
"Let us (look|think|try) together," {B said}
"I will help you," {B said} (kindly|at once|cheerfully|gently)
"Two heads are better than one," {B said}

find+ A x s: x.holder=lost x.at=A.at s@A.at !s.seen > x.holder=A A.mood=good s.seen
(at last, |finally, |){A} found {x} {s}
there it was: {A} (saw|discovered|spotted) {x} {s} and picked it up
{A} (looked|peeked|peered) {s} and found {x}
{x} was lying {s}, and {A} picked it up

give+ A B x: x.holder=A > x.holder=B B.mood=good
{A} gave {x} to {B him}
{A} handed {x} to {B him}
{A} put {x} into the hands of {B him}

giveback+ A B x: x.holder=A x.owner=B > x.holder=B B.mood=good B.debt=A
{A} gave {x} back to {B him}
{A} returned {x} to {B him}
{A} (ran|went|walked) over to {B him} and gave {x} back

gift+ A B x: x.holder=A x.owner=A > x.holder=B x.owner=B B.mood=good B.debt=A A.mood=good
{A} gave {x} to {B him} as a (present|gift)
{A} (held out|offered) {x the} and said that {B} could keep it
{A} made {B him} a present of {x the}

thanks+ A B: A.debt=B > A.debt=done B.mood=good
"Thank you (so much|very much)!" {A said} to {B him}
"Thank you, {B name}!" {A said} (happily|with a smile|and smiled)
"(Thank you|Thanks), you are a (true|wonderful|real) friend," {A said}
{A} thanked {B him} (with all {A his} heart|again and again|warmly)

hugs+ A B: A.mood=good ~A.hugged > A.hugged
{A} (hugged|embraced) {B him}
{A} gave {B him} a (big|warm|tight) hug
{A} shook hands with {B him}

sad+ A: A.mood=bad ~A.wept > A.wept
{A} (was|felt) (very |so |)(sad|unhappy|upset|miserable|disappointed)
{A his} eyes filled with tears
{A} (began|started) to cry
a tear ran down {A his} cheek

happy+ A: A.mood=good ~A.glad > A.glad
{A} (was|felt) (very |so |)(happy|glad|pleased|cheerful)
{A} (smiled|laughed|beamed|grinned) from ear to ear
{A} (jumped|danced|clapped) for joy
{A his} heart was (light|full of joy)

proud+ A: A.mood=good ~A.glad > A.glad
{A} was (very |so |)proud of (|all ){A his} work
{A} felt (ten feet tall|like a hero|like a giant)

sees+ A B x*: x.holder=B x.owner=B A.at=B.at ~A.wish > A.wish=x
{A} (admired|stared at|marveled at) {x} (with big eyes|for a long time|in wonder)
{A} had never seen (such a fine|such a lovely|so pretty a) {x bare}

wants A B x: x.holder=B x.owner=B !A.borrowing > A.borrowing=x
"May I borrow {x your}, {B name}?" {A asked}
"Could you lend me {x your}?" {A asked}
"Please let me (use|have|try) {x your} for (a day|an hour|a while)," {A said}

refuse A B x: B.borrowing=x x.holder=A x.owner=A > B.mood=bad B.borrowing=no A.debt=B
"No, {x my} is mine (alone|only)!" {A said}
"No, I will not share {x my}," {A said}
{A} shook {A his} head and (held|hugged|kept) {x} tightly

lend A B x: x.holder=A x.owner=A B.borrowing=x > x.holder=B B.mood=good
"Of course, but please be careful," {A said} and gave {B him} {x the}
"Yes, you may," {A said} and handed {B him} {x the}
{A} (nodded|agreed|smiled) and lent {B him} {x the}

promise A B x: x.holder=A x.owner=B ~A.promise > A.promise=x
"I promise to bring it back," {A said}
"I will take good care of {x your}, I promise," {A said}
{A} promised to (return|look after) {x}

remember+ A: A.promise > A.mind
{A} remembered {A his} promise
{A} (thought of|did not forget|recalled) {A his} promise

tempted+ A x: A.promise=x x.holder=A > A.tempted
{A} wanted to keep {x}
{A} wished that {x} (belonged|could belong) to {A him}

kept A B: A.promise B.debt=A > A.mood=good A.promise=kept
"You kept your (promise|word)," {B said}
"I knew that I could trust you," {B said}

break A x: x.holder=A !x.broken > x.broken A.mood=bad
but {A} (tripped over|stumbled over|slipped on) a (stone|root|step), and {x} broke
suddenly {x} broke (in two|with a loud crack|into two pieces)
{A} dropped {x}, and it broke
there was a loud crack, and {x} was broken

breakother A B x: x.holder=A x.owner=B !x.broken > x.broken A.mood=bad A.debt=B B.mood=bad
but {A} (tripped|stumbled|slipped), and {x the} (broke|fell and broke)
{A} (dropped|bumped) {x} by accident, and it broke

sorry+ A B: A.debt=B !A.debt=done > A.debt=done
"I am (so|very|really|truly) sorry," {A said} (quietly|and blushed|and meant it)
"I am (so|very|really|truly) sorry, {B name}," {A said} (quietly|and blushed|and meant it)
"It was my fault, please forgive me," {A said}
{A} apologized to {B him}

forgive+ A B: B.debt=done ~A.forgave > A.forgave B.mood=good A.mood=good
"It is all right," {A said}
"I forgive you, {B name}," {A said}
"Accidents happen, we are still friends," {A said}
{A} forgave {B him} at once

showother A B x: x.broken x.holder=A > B.asked=x
{A} showed {B him} the pieces of {x the}
"Can you (mend|repair|fix) {x the}?" {A asked}

showbroken A B x: x.broken x.holder=A x.owner=A > B.asked=x
"Look, {x my} is broken," {A said}
"Can you (mend|repair|fix) {x my}?" {A asked}

mend+ A B x: B.asked=x x.broken > !x.broken A.mood=good x.fixed A.debt=B
{B name} took (glue and string|a hammer and nails|a screwdriver|tape and wire) and (mended|repaired|fixed) {x}
{B name} (mended|repaired|fixed) {x} with (glue|great skill|patient hands|a few nails)

mendself+ A x: x.broken x.holder=A > !x.broken x.fixed A.mood=good
{A} fetched (glue|tape|string|nails) and (mended|repaired|fixed) {x}
{A} worked (hard|all afternoon|for hours|patiently) and mended {x}

asnew A x*: x.fixed !x.broken A.at ~x.praised > x.praised
{x} (worked|was|looked) as good as new
"It is as good as new!" {A said}

buy A x: A.coins !x.holder > x.holder=A x.owner=A !A.coins A.mood=good
{A} bought {x a} (from a friendly seller|with {A his} own money|for three coins)
{A} paid (five|seven|ten) coins for {x a}
{A} chose {x a} and paid for it

saves A*: A.named !A.coins ~A.saving > A.coins A.saving
{A} had saved (a few|some|ten|twenty) coins
{A} (washed windows|swept floors|picked berries|sold lemonade|pulled weeds) and earned some coins

buyother A B* x: B.named A.coins !x.holder > x.holder=A x.owner=A !A.coins x.for=B
{A} bought {x a} for {B him}

wrap+ A x y: x.holder=A x.owner=A > x.holder=y y.at=A.at y.holder=A y.owner=A y.closed
{A} put {x} into {y a} and tied it with a (ribbon|string|bow)
{A} laid {x} in {y a} and closed the lid

givebox+ A B y: y.holder=A y.closed > y.holder=B y.owner=B B.curious
{A} gave {y} to {B him}
{A} placed {y} in front of {B him}

guess A B y: y.holder=B y.closed !y.open ~y.guessed > y.guessed
"What is in (it|there)?" {B asked}
"(Open it|Go on|Take a look)!" {A said} (eagerly|and winked)
{B} shook {y} (carefully|gently|and listened)

openbox+ A y x: y.holder=A y.closed !y.open x.holder=y > y.open x.holder=A x.owner=A A.mood=good A.debt=someone
{A} opened {y} and (found|saw|took out) {x the}
slowly, {A} (lifted the lid of|untied|unwrapped) {y the}, and there was {x the}

thanksgift A B: A.debt=someone > A.debt=done B.mood=good
"Thank you, {B name}, it is (wonderful|beautiful|perfect)!" {A cried}
"This is the best present ever!" {A cried} and hugged {B him}
{A} thanked {B him} (again and again|with a kiss|warmly)

birthday A B*: !B.named !B.birthday > B.birthday
it was the birthday of {A his} (classmate|cousin|friend|neighbor), whose name was {B name}
it was a special day, because it was the birthday of {A his} friend {B name}

idea+ A: ~A.idea > A.idea
{A} had (an idea|a plan|a clever thought)
"I (know|have an idea)!" {A said}
{A} thought (hard|long and hard|for a while)

party A B*: B.birthday > B.at=A.at
{B name} was already (waiting|sitting at the table|there)
a little later, {B name} (knocked at the door|arrived|came in)

congratulate A B: B.birthday ~A.cheered > A.cheered B.mood=good
"Happy birthday, {B name}!" {A said}
{A} sang a birthday song for {B him}

race A B p: !A.race !A.at=p > A.race=p B.race=p
"I bet that I can reach the {p bare} first!" {A said}
"Let us race to the {p bare}!" {A said}
"Who is (faster|quicker), you or I?" {A asked}, "Let us run to the {p bare}"

agree A B: B.race !story.go > story.go
"(Ready, set, go|One, two, three, go)!" {A cried}
"You will never catch me!" {A cried} and (started|began) to run
{A} agreed at once, and off they went

ahead A B: A.race story.go !A.lead !B.lead > B.lead=yes
{B name} was faster (at first|at the start|from the beginning) and took the lead
{B name} ran like the wind and was (soon |)far ahead

fall+ A: A.lead=yes > A.lead=hurt A.mood=bad
suddenly {A} (tripped|stumbled|slipped) and fell
but {A} (tripped|stumbled) over a (root|stone) and hurt {A his} knee

stops+ A B: B.lead=hurt > A.helping B.debt=A
{A} (stopped|turned back) at once and helped {B him} up
{A} could have won, but {A} stopped to help {B him}

tie A B: A.helping A.race > A.at=A.race B.at=A.race !A.race !B.race !story.go A.mood=good B.mood=good
{A} and {B name} (reached the finish|got there) together, hand in hand
side by side, {A} and {B name} (crossed the line|arrived|reached the finish)

wins A B: A.race A.lead=yes > A.at=A.race B.at=A.race !A.race !B.race !story.go A.mood=good B.lost
{A} (reached the finish|was there) first and won
{A} won the race by (a step|a nose|a whisker)

praise+ A B: B.mood=good ~A.praised > A.praised
"Well done, {B name}!" {A said}
"You (did very well|were wonderful|were so brave)," {A said}
{A} patted {B him} on the (back|shoulder)

goodloser A B: A.lost > A.mood=good
"You were (better|faster) today," {A said}, "congratulations"
{A} was a good loser and (congratulated|cheered for) {B him}

map+ A s: !A.map s@A.at > A.map
{A} found an old (map|letter|note) {s}
{s}, {A} (discovered|spotted|noticed) an old (map|letter) full of strange signs

mapsays A p: A.map !A.dest > A.dest=p
it (showed|described|led along) a secret path to the {p bare}
a red cross marked a place near the {p bare}

digs A y s: A.map A.dest=A.at s@A.at !y.holder > y.holder=A y.closed y.owner=A y.spot=s
{A} dug (a hole |deep |){s} and found {y a}
{s}, {A} (discovered|uncovered) {y a}

locked+ A y: y.holder=A y.closed !y.open > y.locked
{y} was locked
{y} had a (rusty|heavy|strange) lock

treasure+ A y x: y.holder=A y.locked !x.holder > y.open !y.locked x.holder=A x.owner=A A.mood=good
{A} (opened|broke|turned) the lock, and inside lay {x a}
after many tries, the lock clicked open, and {A} took out {x a}

rain: !story.rain ~story.rained > story.rain story.rained
suddenly dark clouds covered the sky, and it began to rain
it (began|started) to rain (hard|heavily|in torrents)
there was a (flash of lightning|clap of thunder), and rain poured down

wet+ A: story.rain !A.dry ~A.wet > A.wet A.mood=bad
{A} was wet (through|to the skin|from head to toe) in no time
{A} shivered in the (cold|rain)

opens+ A x: story.rain x:umbrella x.holder=A x.owner=A !x.open > x.open A.dry
{A} opened {x}
{A} put up {x the} and stayed dry

invite A B x: x.open x.holder=A B.wet > B.dry B.mood=good B.debt=A
"Come under {x my}!" {A cried}
{A} held {x} over {B him}

shelterboth A B p: story.rain p:indoor !A.at=p > A.at=p B.at=p A.dry B.dry
{A} and {B name} ran {p to} to (stay|keep) dry
{A} and {B name} (hid|found shelter) from the rain {p at}

sun: story.rain > !story.rain
at last, the rain stopped, and the sun came out
the clouds moved away, and a rainbow appeared
the rain stopped as suddenly as it had started

hello A B: B.friend=none ~A.friend=B > A.friend=B
"Hello, my name is {A name}," {A said}, "do you live here?"
"Hi, I am {A name}," {A said}, "where do you come from?"

nameis A B: A.friend=none B.friend=A > A.friend=B
"I am new here," {A said} (shyly|in a low voice|and blushed)
"I have no friends here yet," {A said}
"We moved here (last week|yesterday|a month ago)," {A said}

playme A B: A.friend=B ~A.invited > A.invited B.mood=good
"Do you want to play with me?" {A asked}
"Come and play with me!" {A said}
{A} invited {B him} to play

nod A B: B.invited ~A.yes > A.yes A.mood=good
"(Yes, I would love to|Yes, please|I would like that)!" {A said}
{A} nodded (eagerly|happily|shyly) and smiled

games A B: !story.rain > A.mood=good B.mood=good
{A} and {B name} played (hide and seek|tag|pirates|explorers|knights and dragons) (until the sun went down|all afternoon|for hours)
all afternoon, {A} and {B name} (chased each other|told each other secrets|made up games|drew funny faces)

carries A x*: A.named !x.holder > x.holder=A x.owner=A
{A} (packed|took|brought) {x a} for lunch
in {A his} (bag|pocket|basket), {A} had {x a}

hungry+ A: ~A.hungry !A.full > A.hungry
{A} (was|felt) (very |so |)hungry
{A his} stomach (growled|rumbled)

nofood A B: A.hungry ~A.asked > A.asked=food
"I have nothing to eat," {A said}
"I am so hungry," {A said}, "I forgot my lunch"
{A} had (forgotten|lost) {A his} lunch

askfood A B x: A.hungry x:food x.holder=B x.owner=B !A.borrowing > A.borrowing=x
"May I have a piece of {x your}?" {A asked}
"Would you share {x your} with me?" {A asked}

share A B x: x:food x.holder=A x.owner=A B.hungry > x.gone B.full ~B.hungry B.mood=good A.mood=good B.debt=A
{A} (broke|cut|split) {x} in two and gave {B him} half, and together they ate it up
{A} shared {x} with {B him}, and they ate every (bite|crumb)

regret+ A B: A.debt=B B.mood=bad > A.sorry
{A} saw the sad face of {B name} and (felt ashamed|thought again|blushed)
then {A} felt (bad|ashamed|guilty) about it

lesson A: A.sorry A.mood=good > A.learned
{A} had learned that (sharing|giving) makes everything (better|sweeter|more fun)
"Things taste better when we share them," {A said}
from then on, {A} always shared

petstuck A x*: A.at !x.holder > x.holder=trap x.at=A.at
{A} heard a (faint|sad|strange|tiny) (cry|noise|sound) and saw {x a} (in a deep hole|caught in a net|behind a locked gate|stuck in the mud)
{x a} was (caught|trapped) in a thorny bush

worry A x: x.holder=trap ~A.worried > A.worried A.mood=bad
"You poor thing!" {A said}
{A} felt sorry for {x}
"Do not be afraid," {A said} to {x}

cannot+ A x: x.holder=trap x.at=A.at > A.tried
{A} (pulled|pushed|tried) and tried, but {A} could not free {x}
{A} reached out, but {A his} arms were too short to reach {x}

fetch A B* y: !B.named !y.holder > y.holder=B y.owner=B B.at=A.at
luckily, {B name} (came by|was near) with {y a}
{B name} (heard the noise|saw this) and came with {y a}

free A B y x: x.holder=trap x.at=A.at y:tool y.holder=B > x.holder=A A.mood=good B.mood=good A.debt=B
with {y the} and a lot of (patience|courage|care), {A} and {B name} freed {x}
{B name} used {y}, and (soon |)the two of them freed {x}

petcare+ A x: x:pet x.holder=A > x.fed
{A} gave {x} some (milk|water|bread)
{A} (stroked|petted|dried) {x} (gently|softly)

petthanks A x: x.fed ~x.happy > x.happy
{x} (licked|nudged|sniffed) {A his} hand
{x} closed its eyes and (looked content|fell asleep)

keeps A x: x.fed !x.owner > x.owner=A
"You (can live|may stay) with me," {A said} to {x}
{A} took {x} home in {A his} arms and kept it

birdhurt A x*: A.at !x.holder > x.holder=free x.at=A.at x.hurt A.mood=bad
{A} found {x a} with a (broken|hurt|lame) wing
{x a} sat on the ground and could not fly

nurse A x: x.hurt > x.nursed x.holder=A
{A} (bandaged|washed) the wing and fed {x} (seeds|crumbs|worms|berries) every day
{A} made a (soft|cozy) nest for {x} and (brought it|fed it) seeds

heals x: x.nursed x.hurt > !x.hurt x.healed
after (a week|two weeks|ten days), the wing was strong again
slowly the wing of {x the} (healed|got better)

flies A x: x.healed x.holder=A > x.holder=free x.gone A.mood=good
{A} opened {A his} hands, and {x} flew (away|high into the sky|over the roofs)
{A} let {x} go, and it flew (away|up to the clouds)

waves A x*: x.gone x.healed ~A.waved > A.waved
"Goodbye, little friend!" {A cried}
{A} waved until the bird was (out of sight|only a dot)

bakeidea A B: !A.baking > A.baking B.baking
"Let us bake something!" {B said}
"Shall we bake together?" {B asked}
"Would you like to bake with me?" {B asked}

mix A B: A.baking B.baking ~A.mixed > A.mixed
{A} (stirred|mixed|measured) the (flour|sugar|butter), and {B name} (broke the eggs|poured the milk|heated the oven)
{A} and {B name} mixed flour, (sugar|honey|nuts) and eggs in a bowl
{A} got flour on {A his} (nose|hair|chin), and {B name} laughed

bake A B x*: A.mixed !x.holder > x.holder=A x.owner=A x.at=A.at x.hot A.smelled
(an hour later|at last|finally), {A} and {B name} took {x a} out of the oven
the oven did its work, and {B name} put {x a} on the table for {A him}

wait A x: x.hot > !x.hot
{x} was still (hot|too hot), so {A} waited
{A} waited until {x} was cool

eatboth A B x: x.holder=A !x.hot > x.gone A.mood=good B.mood=good
{A} and {B name} ate {x} (down to the last crumb|with whipped cream|with a glass of milk)
{A} cut {x} into slices, and {A} and {B name} ate it all up

tasty A x*: x.gone A.mood=good ~A.praised > A.praised
"That was delicious!" {A said}
"I have never tasted anything (better|so good)," {A said}

night: !story.night > story.night
night (fell|came), and the moon rose over the (roofs|hills|trees)
it (grew|became) dark, and the (first |)stars came out

bed+ A: A.at=home story.night !A.bed > A.bed
{A} (lay|got|climbed) into bed and (pulled up the blanket|closed {A his} eyes)
{A} put on {A his} pajamas and went to bed

noise A: A.bed !A.asleep !A.scared > A.scared A.mood=bad
suddenly {A} heard a strange (noise|sound) (outside the window|under the bed|in the hall|at the door)
something (scratched|knocked|rustled|squeaked) (at the window|behind the door|in the dark)

afraid+ A: A.scared A.mood=bad ~A.wept > A.wept
{A} was (very |so |)(afraid|scared|frightened)
{A} (hid|trembled) under the blanket
"Who is there?" {A whispered}

takes+ A x: A.scared !x.holder x:light > x.holder=A x.owner=A x.lit
{A} (took|lit|picked up) {x a} that stood (by the bed|on the shelf)
{A} reached for {x a} and lit it

looks A y* x: A.scared x.lit x.holder=A !y.holder > y.holder=found y.at=A.at A.mood=good !A.scared A.calm=y
in the light of {x the}, {A} saw that it was only {y a}
{A} held up {x the} and (looked|peered) around: it was only {y a}

laughs+ A: A.calm ~A.glad > A.glad
{A} (laughed|giggled|chuckled) at {A his} own fear
"So it was you!" {A said} and (laughed|smiled|sighed with relief)

sleep+ A: A.bed A.calm !A.asleep > A.asleep
{A} (fell|was soon) fast asleep
{A} (yawned|sighed happily|turned over) and fell asleep

dream A*: A.asleep ~A.dream > A.dream
in {A his} dream, {A} (flew over the sea|sailed to the moon|rode a dragon|talked with whales)
all night, {A} dreamed of (islands|elephants|snow|giants|candy)

wakes A*: A.asleep > !A.asleep !story.night
in the morning, {A} woke up (rested|happy|early)
the (sun|rooster) woke {A him} (early|at six)

seed A p: A.at=p p:soil !A.seed > A.seed=p
{A} (planted|pushed|put) a tiny seed into the soil {p at}
{A} dug a small hole {p at} and planted a seed

water A: A.seed !A.watered > A.watered
every (day|morning|evening), {A} watered it (carefully|with a can|and waited)
{A} watered the seed and (pulled out the weeds|chased away the snails|sang to it)

nothing A: A.seed A.watered ~A.mood=bad > A.mood=bad
for (a week|days|many days), nothing happened
days went by, but the soil stayed bare

patience A B: A.mood=bad A.seed ~B.advice > B.advice
"Be patient, good things take time," {B said}
"Wait and see," {B said}, "it needs (time|sunshine|rain)"
"Do not give up," {B said} (kindly|gently)

grows A x*: A.seed A.watered A.at=A.seed !x.holder > x.holder=soil x.at=A.at A.mood=good
one morning, a green shoot appeared, and (weeks|a month) later, {A} had {x a}
{A} waited and waited, until {x a} grew (there|in that very place)

admire+ A B x: x.holder=soil x.at=A.at ~x.praised > x.praised
"What a (beautiful|splendid|marvelous) {x bare}!" {B said}
"It was worth the wait," {B said} and looked at {x}

build+ A B x: !x.holder > x.holder=built x.at=A.at A.mood=good B.mood=good
{A} and {B name} built {x a} out of (stones|wood|clay|blocks|mud)
together, {A} and {B name} made {x a}, (piece by piece|layer by layer)

collapse A B x*: x.holder=built x.at=A.at !x.broken > x.broken A.mood=bad B.mood=bad
but a (gust of wind|loose stone|big dog) knocked {x} down
suddenly {x} (shook|wobbled|tilted) and fell down with a (crash|bang|thud)

blame A B x*: x.broken x.holder=built !A.debt > A.debt=B B.mood=bad
"It is your fault!" {A cried}
{A} (blamed|shouted at|scolded) {B him}

again A B x: x.broken x.holder=built > !x.broken A.mood=good B.mood=good x.fixed
{A} and {B name} tried again, and this time {x} (stood|held) (firm|fast)
{A} and {B name} built {x} again, (better|stronger|bigger) than before

tryagain A B: A.mood=bad ~A.urged > A.urged
"Let us try again," {B said}
"We can do it (better|together)," {B said}, "do not give up"

swapask A B x y: x.holder=A x.owner=A y.holder=B y.owner=B ~A.offered > A.offered=x B.offered=y
"I will give you {x my} for {y your}," {A said}
"Shall we trade {x my} for {y your}?" {A asked}

think+ A: A.offered ~A.thought > A.thought
{A} thought about it (for a moment|carefully|for a long time)
{A} scratched {A his} head and (thought|hesitated)

swap A B x y: A.offered=x B.offered=y x.holder=A y.holder=B > x.holder=B x.owner=B y.holder=A y.owner=A A.mood=good B.mood=good
{A} took {y the}, and {B name} took {x the}
{A} and {B name} shook hands, and {A} got {y the} for {x the}
{A} and {B name} traded {x the} for {y the}

alsohas A B x*: !x.holder > x.holder=B x.owner=B
{B} had {x a} with {B him}
in the hands of {B him} was {x a}

hide+ A x s: x.holder=A s@A.at > x.holder=hidden x.at=A.at x.spot=s
{A} hid {x} {s}
{A} (put|placed) {x} {s}, where nobody would see it

hint A B x: x.holder=hidden A.at=x.at ~B.hint > B.hint
"I have hidden something for you," {A said}
"There is a surprise for you (here|somewhere)," {A said}
"Look around carefully, {B name}," {A said} and (smiled|winked)

discover+ A x s: x.holder=hidden x.at=A.at x.spot=s A.hint > x.holder=A x.owner=A A.mood=good A.debt=someone
{A} (looked|peeked|searched) {s} and found {x}
(at last, |finally, |){A} discovered {x} {s}
{x} lay {s}, and {A} (pulled|took|lifted) it out

colder A B x: x.holder=hidden B.hint ~A.cold > A.cold
"(Cold, very cold|Warm, very warm|Colder, much colder|Warmer, much warmer)!" {A cried}
{B name} (walked around|turned in circles|looked here and there), and {A} laughed

paint+ A x: !x.holder > x.holder=A x.owner=A A.mood=good
{A} took (crayons|paper and brushes|colored pencils) and made {x a}
{A} sat down and (worked on|made|finished) {x a}

windtakes A x: x.holder=A > x.holder=lost x.at=A.at A.mood=bad
but the wind (grabbed|snatched|tore) {x} out of {A his} hands
suddenly a gust of wind (carried|blew) {x} away

knock A x: x:fragile !x.holder A.at=home > x.holder=table x.at=home x.broken A.mood=bad x.guilty=A
{A} was (running|jumping|dancing) around and knocked over {x a}, and it broke
with {A his} (elbow|ball|foot), {A} hit {x a}, and it broke into a hundred pieces

hidepieces A x s: x.broken x.guilty=A x.holder=table s@A.at > x.holder=hidden x.spot=s
quickly, {A} (hid|swept) the pieces {s}
{A} was afraid and hid the pieces {s}

where A B x*: x.broken x.guilty=A ~B.wish > B.wish
"Who broke the {x bare}?" {B asked}
"What happened to the {x bare}?" {B asked}

lie A B: B.wish ~A.lied > A.lied A.mood=bad
"I do not know," {A said} (quietly|and looked at the floor)
{A} (said nothing|kept silent|shrugged)

conscience A: A.mood=bad A.lied > A.debtfelt
{A} (could not look up|felt worse and worse|had a lump in {A his} throat)
the secret felt (heavy|terrible) to {A him}

confess A B x*: x.guilty=A x.broken B.wish ~A.confessed > A.confessed A.debt=B
"I broke it," {A said}
"It was me, I broke the {x bare}," {A said} at last
{A} took a deep breath and told {B him} the truth

honest A B: B.confessed > A.mood=good B.mood=good B.debt=done
"I am (glad|proud) that you told (me the truth|me)," {A said}
"The truth is (worth more|more important) than any treasure," {A said}

lostway+ A: A.at ~A.lostway > A.lostway A.mood=bad
{A} (walked|wandered) too far and lost {A his} way
suddenly {A} did not know the way (back|home) (any more|anymore)

allsame A: A.lostway ~A.wept > A.wept
every (path|bush|stone) looked the same to {A him}
{A} turned left and right, but nothing looked familiar

calls+ A: A.lostway ~A.called > A.called
"(Hello|Help), is anybody there?" {A cried}
{A} called (loudly|three times|for help)

appears A B* x: A.lostway !B.named !x.holder > B.at=A.at x.holder=B x.owner=B
then {B name} appeared (between the trees|on the path|in the distance) with {x a}
a light came (closer|nearer): it was {B name} with {x a}

guide A B x: A.lostway x.holder=B x:light > A.at=home B.at=home ~A.lostway A.mood=good A.debt=B
{B name} held up {x the}, took {A him} by the hand and brought {A him} home
{A} followed {B name} and {x the} all the way home

afraidof A: !A.dare ~A.mood=bad > A.dare=no A.mood=bad
{A} wanted to (swim|dive|jump in), but {A} was (afraid|scared) of the deep water
{A} stood at the edge and did not dare to jump

courage A B: A.dare=no > A.dare=maybe
"You can do it, {A name}," {B said}
"I will (hold your hand|count to three|jump first)," {B said}
"I was afraid once, too," {B said}, "just breathe and (count to three|jump)"

jump+ A: A.dare=maybe > A.dare=yes A.mood=good
{A} took a deep breath, (closed {A his} eyes|counted to three) and jumped
with a (big|loud|mighty) splash, {A} (jumped|landed) in the water

thinks+ A B: ~A.nice > A.nice
{A} thought that {B name} looked (kind|nice|friendly|lonely)

pass A B: A.dry B.dry > A.mood=good B.mood=good
{A} and {B name} (told each other|listened to) (stories|jokes|riddles) (to pass the time|while the rain drummed on the roof)
{A} and {B name} (counted|watched) the (raindrops|puddles) and laughed

sing+ A B: A.mood=good ~A.sang !B.asleep > A.sang
{A} and {B name} sang (a song|old songs) (together|at the top of their voices)

talk+ A B: ~A.talked > A.talked
{A} and {B name} talked about (school|the weather|their pets|holidays|dinosaurs|faraway countries)
{A} told {B him} a funny (story|joke)

weather: here:outdoor !story.rain ~story.rained !story.night ~story.sky > story.sky
the sky was (blue|clear|bright)
the sun (shone|was shining) brightly
a (gentle|warm|mild) breeze was blowing

tired+ A: ~A.tired !A.asleep > A.tired
{A} (was|felt) (tired|sleepy|weary)
{A his} (legs|feet|eyes) were (heavy|tired)

rests+ A: A.tired !A.asleep > A.rested
{A} sat down and rested (for a while|a little)
{A} took a (long|short|little) (rest|break)

endfriends A* B*: A.mood=good B.mood=good A.named B.named ~A.over > A.over
from that day on, {A} and {B name} were (the best of friends|best friends|good friends|always together)
{A} and {B name} never forgot that day
after that day, {A} and {B name} (met|played|saw each other) every (day|afternoon|weekend)

endhappy A*: A.mood=good A.named !A.asleep ~A.over > A.over
it was (the best day of the year|a wonderful day|a perfect day|an unforgettable day)
and that was the (happiest|best|most exciting) day of the (week|month|year) for {A him}
{A} went to sleep with a (smile|happy heart) that night

endlearn A*: A.mood=good A.named ~A.over > A.over
that day, {A} (learned something important|understood that friends matter most|learned never to give up)
{A} knew now that good friends (matter|are a treasure)
{A} often thought of that day (later|when things were hard)

endkind A*: A.mood=good A.named ~A.over > A.over
{A} knew now that (kindness|helping) (pays|matters|is worth more than gold)
that day, {A} learned how good it feels to (be helped|have a friend)

endbrave A*: A.mood=good A.named ~A.over > A.over
{A} knew now that (courage|hope) helps (in the dark|more than strength)
after that, {A} was never (so afraid|so frightened|so timid) again
that day, {A} learned to be (brave|bold|fearless)

endpatient A*: A.mood=good A.named ~A.over > A.over
{A} knew now that patience (pays|is worth more than gold)
that day, {A} learned to wait for good things
{A his} motto was now: slow and steady

endhonest A*: A.mood=good A.named ~A.over > A.over
{A} knew now that honesty (pays|is worth more than gold)
that day, {A} learned that it is good to be honest
{A} never told a lie again

endpromise A*: A.promise=kept A.named ~A.over > A.over
{A} had learned that a promise is a promise
"A promise is a promise," {A said}
"""

PLOTS = """
lost and found: A B child, x trinket, p outdoor
born A;?likes A;owned A x;|;day A p;?scene / weather;friend A B;?talk A B;lose A x;so > sad A / sad A;askwrong A B
tellloss A B x;?offer A B;?search A x / search B x;?nothere A / nothere B;find B x;giveback B A x;?happy A;thanks A B;|
?hugs A B;?homeboth A B;endfriends A B / endhappy A / endlearn A

gone with the wind: A B child, x wear, p outdoor
born A;?likes A;owned A x;|;day A p;?weather;?scene;windtakes A x;sad A;?search A x;?nothere A
friend A B;askwrong A B;tellloss A B x;offer A B;search B x / search A x;find A x / find B x;giveback B A x / happy A;?happy A / hugs A B;|
?thanks A B / homeboth A B;endhappy A / endkind A

a promise: A B child, x toy, p outdoor
born A;|;day A p;friend A B;owned B x;?scene;sees A B x / weather;wants A B x;lend B A x;promise A B x;plays A x;?weather
?but > tempted A x;?tired A;remember A;giveback A B x;kept A B;?thanks B A;|;endpromise A / endfriends A B

a promise after an accident: A B child, C adult, x toy, p outdoor
born A;|;day A p;friend A B;owned B x;wants A B x;lend B A x;?promise A B x;plays A x;breakother A B x;sad A / sad B;sorry A B;forgive B A
visitor A C;showother A C x;mend A C x;?asnew A x;giveback A B x;?thanks A C / thanks B A;|;endfriends A B / endhonest A

a trade: A B child, x toy, y music, p near
born A;?likes A;owned A x;|;day A p;?scene;friend A B;alsohas A B y;?sees A B y;swapask A B x y;think B;?talk A B;swap A B x y
happy A / happy B;music A y / plays B x;?hugs A B;?sing A B;|;endfriends A B / endhappy A

a broken toy: A child, C adult, x toy, p outdoor
born A;?likes A;owned A x;|;day A p;?scene;?weather;plays A x;break A x;so > sad A / sad A;home A;|;visitor A C;askwrong A C
showbroken A C x;?offer A C;mend A C x;?asnew A x;?happy A;thanks A C;?hugs A C;|;endhappy A / endkind A

mended alone: A B child, x toy, p outdoor
born A;owned A x;|;day A p;?scene;friend A B;plays A x;break A x;sad A;askwrong A B;?tryagain A B;idea A;home A;mendself A x
asnew A x;proud A / happy A;?plays A x;|;endhappy A / endpatient A

a birthday surprise: A B child, x treat, y box, p shop
born A;birthday A B;saves A;|;day A p;?scene;?weather;buyother A B x;wrap A x y;home A;|;party A B;?congratulate A B;givebox A B y;guess A B y
openbox B y x;thanksgift B A;?happy B / happy A;?sing A B;|;endfriends A B / endhappy B

a birthday gift: A B child, x toy, y box, p shop
born A;?likes A;birthday A B;saves A;|;day A p;buyother A B x;?idea A;wrap A x y;?tired A;home A;|;party A B;givebox A B y;congratulate A B;?guess A B y
openbox B y x;thanksgift B A;plays B x / hugs B A;|;endhappy B / endfriends A B

a race and a fall: A B child, p near, q outdoor
born A;?likes A;|;day A p;?scene;?weather;friend A B;race A B q;agree B A;ahead A B;fall B;?sad B;stops A B;tie A B;thanks B A;?praise B A
?hugs A B;|;?talk A B;endfriends A B / endkind B / endlearn A

a race and a winner: A B child, p near, q outdoor
born A;likes A;|;day A p;scene;?weather;friend A B;?talk A B;race A B q;agree B A;ahead A B / ahead B A;wins A B / wins B A
goodloser A B / goodloser B A;?tired A;?rests A;praise A B / hugs B A;|;endfriends A B / endhappy A

a treasure: A child, x treasure, y box, p near, q wild
born A;likes A;|;day A p;?scene;map A;mapsays A q;goes A q;?scene;?weather;digs A y;but > locked A y / locked A y;idea A;treasure A y x
happy A;?home A;|;endhappy A

a treasure for two: A B child, x treasure, y box, p near, q wild
born A;|;day A p;friend A B;?talk A B;map A;mapsays A q;both A B q;?scene;digs A y;locked A y;?tired B;treasure A y x;happy A / praise B A
gift A B x / give A B x / hugs A B;?thanks B A;?homeboth A B;|;endhappy A

a hidden gift: A B child, x drawing, p near, s p
born A;paint A x;|;day A p;?scene;hide A x s;friend A B;?talk A B;hint A B x;colder A B x;?colder A B x;discover B x s;thanksgift B A
?happy B;?sing A B;?homeboth A B;|;endfriends A B / endhappy B

an umbrella for two: A B child, x umbrella, p outdoor
born A;?likes A;owned A x;|;day A p;?scene;friend A B / stranger A B;?weather;rain;opens A x;wet B;invite A B x;thanks B A;?talk A B;sun
?happy A / happy B;?homeboth A B;|;endkind B / endfriends A B / endhappy B

a shelter: A B child, p outdoor, q indoor
born A;?likes A;|;day A p;?scene;friend A B;?talk A B;games A B / weather;rain;wet A / wet B;?idea A;shelterboth A B q;?scene;pass A B;?sing A B
sun;?happy A;?homeboth A B;|;endfriends A B / endhappy A

a new friend: A B child, p near
born A;likes A;|;day A p;?scene;stranger A B;?sad B;thinks A B;hello A B;nameis B A;playme A B;nod B A;games A B;?tired A;?happy B
?homeboth A B;|;endfriends A B / endkind B

sharing: A B child, x food, p outdoor
born A;carries A x;|;day A p;?scene;friend A B;?games A B / talk A B;hungry B;?nofood B A;askfood B A x;refuse A B x;sad B;regret A B;sorry A B
share A B x;thanks B A;?happy B;|;lesson A / endfriends A B

a lunch for two: A B child, x food, p outdoor
born A;?likes A;carries A x;|;day A p;?weather;?scene;friend A B / stranger A B;?talk A B;hungry B;nofood B A;?thinks A B;share A B x;thanks B A
?happy B;?sing A B;|;endfriends A B / endhappy A

an animal in trouble: A child, C adult, x pet, y tool, p outdoor
born A;?likes A;|;day A p;?scene;?weather;petstuck A x;worry A x;cannot A x;fetch A C y;free A C y x;?thanks A C;petcare A x;?petthanks A x
keeps A x / happy A;|;endhappy A / endkind A

a bird: A child, x bird, p outdoor
born A;likes A;|;day A p;?scene;?weather;birdhurt A x;sad A;nurse A x;heals x;flies A x;waves A x;happy A;|;endhappy A / endpatient A

baking: A child, C adult, x cake, p shop
born A;likes A;|;visitor A C;?scene;bakeidea A C;?happy A;mix A C;?mix A C;bake A C x;?scene;wait A x;eatboth A C x;tasty A x;?hugs A C;?talk A C;|
endhappy A

a noise at night: A child, x light, y visitor
born A;?likes A;|;night;bed A;noise A;afraid A;takes A x;looks A y x;laughs A;sleep A;dream A;|;?wakes A;endbrave A

a seed: A child, C adult, x plant, p soil
born A;?likes A;|;day A p;?scene;seed A p;water A;nothing A;?sad A;visitor A C;patience A C;grows A x;admire A C x;proud A / happy A;?hugs A C
|;endpatient A / endhappy A

it falls down: A B child, x tower, p outdoor
born A;|;day A p;?scene;friend A B;?weather;build A B x;?happy A;collapse A B x;?sad B;blame A B x;sorry A B;forgive B A;?tryagain A B
again A B x;praise A B / happy A;?tired A;|;endfriends A B / endpatient A

the truth: A child, C adult, x fragile
born A;?likes A;|;?scene;knock A x;?sad A;hidepieces A x;visitor A C;where A C x;lie A C;conscience A;confess A C x;honest C A;hugs A C / happy A
?talk A C;|;endhonest A

the way home: A child, C adult, x light, p wild
born A;likes A;|;day A p;?scene;?tired A;lostway A;allsame A / sad A;calls A;appears A C x;guide A C x;thanks A C;?hugs A C;?happy A;|
endhappy A / endbrave A

deep water: A B child, p water
born A;likes A;|;day A p;?scene;?weather;friend A B;?talk A B;afraidof A;?askwrong A B;courage A B;jump A;praise B A / happy A;games A B
?thanks A B;?homeboth A B;|;endfriends A B / endbrave A / endhappy A

bought and lent: A B child, x book, p shop, q outdoor
born A;saves A;|;day A p;?scene;buy A x;goes A q;reads A x;friend A B;sees B A x / talk A B;wants B A x;lend A B x;promise B A x;reads B x
?tired B;remember B;giveback B A x;kept B A;|;endpromise B / endfriends A B

music: A B child, x music, p near
born A;?likes A;owned A x;|;day A p;scene;music A x;stranger A B;?thinks A B;hello A B;nameis B A;wants B A x;lend A B x;music B x
praise A B;giveback B A x;?sing A B;|;endfriends A B / endhappy B

a ball: A B child, x ball, p outdoor
born A;likes A;owned A x;|;day A p;?scene;?weather;stranger A B;hello A B;?nameis B A;playme A B;nod B A;ball A B x;?tired B;?rests B;happy B / happy A
?homeboth A B;|;endfriends A B
"""
