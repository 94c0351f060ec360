# `gnuplot -d lambda-bars.gp` in this folder draws lambda-bars.svg from lambda-bars.csv.
reset session
set encoding utf8
set terminal svg size 700,521 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'lambda_bars'
set output 'lambda-bars.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set lmargin at screen 0.20286
set rmargin at screen 0.91429
set tmargin at screen 0.83493
set bmargin at screen 0.09981
set key at screen 0.5,screen 0.995 top center vertical Left reverse maxcols 1 width 1 samplen 2 spacing 1
set xrange [0:100]
set yrange [24.40:-1]
set ytics ('[Before]' 0.00, 'PLAD' 1.00, 'PLAD, run again' 3.70, '[Ours]' 6.40, 'PLUME, lambda 5' 8.40, 'PLUME, lambda 10' 12.10, 'PLUME, best lambda' 15.80, 'PLUME, max' 19.00, '[Baselines]' 21.20, 'kNN' 22.70) scale 0
set xtics 10
set grid xtics lc rgb '#DDDDDD'
set xlabel 'AUROC in percent'
set arrow 1 from 50, graph 0 to 50, graph 1 nohead dt 2 lc rgb '#666666'
plot 'lambda-bars.csv' skip 1 using ($2==0 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#0072B2' fc rgb '#0072B2' title 'ours, best epoch', \
  'lambda-bars.csv' skip 1 using ($2==1 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#0072B2' fc rgb '#56B4E9' title 'ours, last epoch', \
  'lambda-bars.csv' skip 1 using ($2==2 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#7A5500' fc rgb '#E69F00' title 'the paper''s own, as printed', \
  'lambda-bars.csv' skip 1 using ($2==3 ? $3/2 : NaN):1:($3/2):(0.42) with boxxyerror fs solid 1.0 border lc rgb '#888888' fc rgb '#CCCCCC' title 'other papers'', as printed there', \
  'lambda-bars.csv' skip 1 using (valid(4) ? $3 : NaN):1:5:6 with xerrorbars pt 0 lc rgb '#000000' notitle, \
  'lambda-bars.csv' skip 1 using ($6 > 100 ? 100 : $6):1:(sprintf('%.1f', $3)) with labels left offset 0.6,0 font ',10' notitle
set output
