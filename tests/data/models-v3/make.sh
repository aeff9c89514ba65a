# Models by the code of commit f511cd9, before families were folders. B: widemargin of that commit.
set -e
$B data town train --sentences 30 -o train.txt
$B data town test --sentences 8 -o input.txt
$B data town train --sentences 30 --format conllu -o train.conllu
$B data town test --sentences 8 --format conllu -o input.conllu
printf 'word[0]\npos[-1..1]\nsuffix(word,2)\nlabel[-1] pos[0]\n' > tagging.templates
printf 'bias\nhead.xpos mod.xpos\nlower(head.form) mod.xpos\nhead.upos mod.upos between.upos\nlabel head.xpos mod.xpos\nlabel mod.upos\n' > arcs.templates
printf 'sib.xpos mod.xpos\nhead.upos sib.upos mod.upos\n' | cat arcs.templates - > siblings.templates
sed 's/ /\t/g' train.txt | awk -F'\t' 'NF {print $NF "\tw=" $1 "\tp=" $2 ":0.5"; next} {print ""}' > train.items
sed 's/ /\t/g' input.txt | awk -F'\t' 'NF {print $NF "\tw=" $1 "\tp=" $2 ":0.5"; next} {print ""}' > input.items
train() { name=$1; shift; $B train "$@" --epochs 3 -o $name.safetensors > /dev/null; }
printf 'word[0]\npos[-1..1]\nsuffix(word,2)\n' > choice.templates
T="--templates tagging.templates --columns word,pos,chunk,ner"
train chunk chunk train.txt --label chunk $T --cutoff 2
train ner-constrained ner train.txt $T --set constraints=BIOES --set labels=bioes --cutoff 2
train choice chunk train.txt --label chunk ${T/tagging/choice} --set structure=choice --learner perceptron --cutoff 2
train hashed ner train.txt $T --hash-bits 6
train kernel ner train.txt ${T/tagging/choice} --set kernel=poly,degree=2 --set structure=choice --cutoff 2 --learner smo
train items tag train.items --format crfsuite --cutoff 2
for structure in eisner siblings heads arborescence; do
  templates=arcs.templates; [ $structure = siblings ] && templates=siblings.templates
  train $structure depparse train.conllu --templates $templates --set structure=$structure --set bits=10 --set labelled=no
  train $structure-labelled depparse train.conllu --templates $templates --set structure=$structure --set bits=10 --set label_bits=6
done
for model in *.safetensors; do
  name=${model%.safetensors}
  case $name in items) input=input.items;; eisner*|siblings*|heads*|arborescence*) input=input.conllu;; *) input=input.txt;; esac
  $B predict $model $input -o $name.expected
done
