# `gnuplot -d semantics-bars.gp` in this folder draws semantics-bars.svg from semantics-bars.csv.
reset session
set encoding utf8
set terminal svg size 700,175 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'semantics_bars'
set output 'semantics-bars.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set lmargin at screen 0.12857
set rmargin at screen 0.91429
set tmargin at screen 0.81714
set bmargin at screen 0.29714
set key at screen 0.5,screen 0.995 top center horizontal Left reverse maxcols 2 width 1 samplen 2 spacing 1
set xrange [0:100]
set yrange [4.90:-1]
set ytics ('released' 0.50, 'paper' 3.20) scale 0
set xtics 10
set grid xtics lc rgb '#DDDDDD'
set xlabel 'AUROC in percent'
set arrow 1 from 50, graph 0 to 50, graph 1 nohead dt 2 lc rgb '#666666'
plot 'semantics-bars.csv' skip 1 using ($2==0 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#0072B2' fc rgb '#0072B2' title 'ours, best epoch', \
  'semantics-bars.csv' skip 1 using ($2==1 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#0072B2' fc rgb '#56B4E9' title 'ours, last epoch', \
  'semantics-bars.csv' skip 1 using (valid(4) ? $3 : NaN):1:5:6 with xerrorbars pt 0 lc rgb '#000000' notitle, \
  'semantics-bars.csv' skip 1 using ($6 > 100 ? 100 : $6):1:(sprintf('%.1f', $3)) with labels left offset 0.6,0 font ',10' notitle
set output
