# `gnuplot -d semantics-shares.gp` in this folder draws semantics-shares.svg from semantics-shares.csv.
reset session
set encoding utf8
set terminal svg size 700,158 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'semantics_shares'
set output 'semantics-shares.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
unset key
set border 0
set xrange [-0.5:9.5]
set yrange [0.5:-0.5]
set palette defined (0 '#F7FBFF', 25 '#C6DBEF', 50 '#6BAED6', 75 '#2171B5', 100 '#08306B')
set cbrange [0:100]
set cbtics 25 scale 0.5 font ',10'
set xtics ('airplane' 0, 'automobile' 1, 'bird' 2, 'cat' 3, 'deer' 4, 'dog' 5, 'frog' 6, 'horse' 7, 'ship' 8, 'truck' 9) rotate by 90 right scale 0 font ',10'
set title offset 0,-0.6
set lmargin at screen 0.16000
set rmargin at screen 0.49571
set tmargin at screen 0.82278
set bmargin at screen 0.56962
set ytics ('airplane' 0) scale 0 font ',10'
set colorbox user vertical origin screen 0.9000, screen 0.1266 size screen 0.02, screen 0.6962
set cblabel '% on the right side' font ',10' offset -0.5,0
set title 'released'
plot 'semantics-shares.csv' skip 1 using ($1==0 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'semantics-shares.csv' skip 1 using ($1==0&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'semantics-shares.csv' skip 1 using ($1==0&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
set lmargin at screen 0.52429
set rmargin at screen 0.86000
set tmargin at screen 0.82278
set bmargin at screen 0.56962
unset ytics
unset colorbox
set title 'paper'
plot 'semantics-shares.csv' skip 1 using ($1==1 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'semantics-shares.csv' skip 1 using ($1==1&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'semantics-shares.csv' skip 1 using ($1==1&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
unset multiplot
set output
