# `gnuplot -d by-lambda-lambda.gp` in this folder draws by-lambda-lambda.svg from by-lambda-lambda.csv.
reset session
set encoding utf8
set terminal svg size 700,402 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'by_lambda_lambda'
set output 'by-lambda-lambda.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set key at screen 0.5,screen 0.995 top center horizontal Left reverse maxcols 2 width 1 samplen 2 spacing 1
set lmargin at screen 0.10000
set rmargin at screen 0.98571
set tmargin at screen 0.90547
set bmargin at screen 0.14925
set xrange [-0.5:1.5]
set yrange [70:90]
set xtics ('5' 0, '10' 1)
set grid lc rgb '#DDDDDD'
set xlabel 'λ (weight of the noise loss; not to scale)'
set ylabel 'AUROC in percent'
plot 'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==0 ? $1-0.0500 : NaN):5 with lines lw 1.5 dt 1 lc rgb '#0072B2' notitle, \
  'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==0 ? $1-0.0500 : NaN):5:(valid(6) ? $6 : 0) with yerrorbars pt 0 lc rgb '#0072B2' notitle, \
  'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==0 ? $1-0.0500 : NaN):5 with points pt 7 ps 1 lc rgb '#0072B2' title 'linear-map + full, best epoch', \
  'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==1 ? $1+0.0500 : NaN):5 with lines lw 1.5 dt 2 lc rgb '#0072B2' notitle, \
  'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==1 ? $1+0.0500 : NaN):5:(valid(6) ? $6 : 0) with yerrorbars pt 0 lc rgb '#0072B2' notitle, \
  'by-lambda-lambda.csv' skip 1 using ($2==0&&$3==1 ? $1+0.0500 : NaN):5 with points pt 6 ps 1 lc rgb '#0072B2' title 'linear-map + full, last epoch', \
  50 with lines dt 3 lc rgb '#666666' notitle
set output
