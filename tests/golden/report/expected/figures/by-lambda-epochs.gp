# `gnuplot -d by-lambda-epochs.gp` in this folder draws by-lambda-epochs.svg from by-lambda-epochs.csv.
reset session
set encoding utf8
set terminal svg size 700,234 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'by_lambda_epochs'
set output 'by-lambda-epochs.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
unset key
set yrange [0:100]
set ytics 20
set grid ytics lc rgb '#DDDDDD'
set xrange [0:2]
set xlabel 'epoch' offset 0,0.6
set title offset 0,-0.6
set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead dt 3 lc rgb '#666666'
set xtics 1
set lmargin at screen 0.07143
set rmargin at screen 0.49286
set tmargin at screen 0.88889
set bmargin at screen 0.24786
set title 'LinearMap'
plot 'by-lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#0072B2' notitle, \
  'by-lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#0072B2' notitle, \
  'by-lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'by-lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):4 with linespoints lw 2.5 pt 7 ps 0.4 pi 10 lc rgb '#0072B2' notitle
unset multiplot
set output
