# `gnuplot -d lambda-epochs.gp` in this folder draws lambda-epochs.svg from lambda-epochs.csv.
reset session
set encoding utf8
set terminal svg size 700,682 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'lambda_epochs'
set output 'lambda-epochs.svg'
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
set tmargin at screen 0.96188
set bmargin at screen 0.74194
set title 'PLAD, run again'
plot 'lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#0072B2' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#0072B2' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==0 ? $2 : NaN):4 with linespoints lw 2.5 pt 7 ps 0.4 pi 10 lc rgb '#0072B2' notitle
set lmargin at screen 0.56429
set rmargin at screen 0.98571
set tmargin at screen 0.96188
set bmargin at screen 0.74194
set title 'PLUME, lambda 5'
plot 'lambda-epochs.csv' skip 1 using ($1==1 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#E69F00' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==1 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#E69F00' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==1 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==1 ? $2 : NaN):4 with linespoints lw 2.5 pt 5 ps 0.4 pi 10 lc rgb '#E69F00' notitle
set lmargin at screen 0.07143
set rmargin at screen 0.49286
set tmargin at screen 0.63343
set bmargin at screen 0.41349
set title 'PLUME, lambda 10'
plot 'lambda-epochs.csv' skip 1 using ($1==2 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#009E73' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==2 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#009E73' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==2 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==2 ? $2 : NaN):4 with linespoints lw 2.5 pt 9 ps 0.4 pi 10 lc rgb '#009E73' notitle
set lmargin at screen 0.56429
set rmargin at screen 0.98571
set tmargin at screen 0.63343
set bmargin at screen 0.41349
set title 'PLUME, best lambda'
plot 'lambda-epochs.csv' skip 1 using ($1==3 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#D55E00' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==3 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#D55E00' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==3 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==3 ? $2 : NaN):4 with linespoints lw 2.5 pt 13 ps 0.4 pi 10 lc rgb '#D55E00' notitle
set lmargin at screen 0.07143
set rmargin at screen 0.49286
set tmargin at screen 0.30499
set bmargin at screen 0.08504
set title 'PLUME, max'
plot 'lambda-epochs.csv' skip 1 using ($1==4 ? $2 : NaN):5:8 with filledcurves fs transparent solid 0.18 fc rgb '#CC79A7' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==4 ? $2 : NaN):6:7 with filledcurves fs transparent solid 0.35 fc rgb '#CC79A7' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==4 ? $2 : NaN):9 with lines lw 0.8 dt 2 lc rgb '#000000' notitle, \
  'lambda-epochs.csv' skip 1 using ($1==4 ? $2 : NaN):4 with linespoints lw 2.5 pt 11 ps 0.4 pi 10 lc rgb '#CC79A7' notitle
unset multiplot
set output
