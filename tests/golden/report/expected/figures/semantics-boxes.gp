# `gnuplot -d semantics-boxes.gp` in this folder draws semantics-boxes.svg from semantics-boxes.csv.
reset session
set encoding utf8
set terminal svg size 700,504 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'semantics_boxes'
set output 'semantics-boxes.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
set key at screen 0.5,screen 0.995 top center horizontal Left reverse maxcols 2 width 1 samplen 2 spacing 1
set yrange [70:90]
set ytics 10
set grid ytics lc rgb '#DDDDDD'
set lmargin at screen 0.08571
set rmargin at screen 0.98571
set tmargin at screen 0.92063
set bmargin at screen 0.55952
set xrange [-0.5:0.5]
set xtics ('airplane' 0) norotate center
set ylabel 'best epoch' offset 1,0
plot 'semantics-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.22500 : NaN):6:5:9:8:(0.36000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'released' whiskerbars 0.5, \
  'semantics-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.22500 : NaN):7:7:7:7:(0.36000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.22500 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1+0.22500 : NaN):6:5:9:8:(0.36000) with candlesticks fs transparent solid 0.35 lc rgb '#E69F00' dt 1 title 'paper' whiskerbars 0.5, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1+0.22500 : NaN):7:7:7:7:(0.36000) with candlesticks lw 2 lc rgb '#E69F00' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1+0.22500 : NaN):10 with points pt 5 ps 0.35 lc rgb '#E69F00' notitle
unset key
unset arrow
set lmargin at screen 0.08571
set rmargin at screen 0.98571
set tmargin at screen 0.45238
set bmargin at screen 0.09127
set xrange [-0.5:0.5]
set xtics ('airplane' 0) norotate center
set ylabel 'last epoch' offset 1,0
plot 'semantics-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.22500 : NaN):6:5:9:8:(0.36000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'released' whiskerbars 0.5, \
  'semantics-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.22500 : NaN):7:7:7:7:(0.36000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.22500 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1+0.22500 : NaN):6:5:9:8:(0.36000) with candlesticks fs transparent solid 0.35 lc rgb '#E69F00' dt 1 title 'paper' whiskerbars 0.5, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1+0.22500 : NaN):7:7:7:7:(0.36000) with candlesticks lw 2 lc rgb '#E69F00' notitle, \
  'semantics-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1+0.22500 : NaN):10 with points pt 5 ps 0.35 lc rgb '#E69F00' notitle
unset key
unset arrow
unset multiplot
set output
