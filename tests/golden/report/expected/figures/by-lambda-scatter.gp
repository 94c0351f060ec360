# `gnuplot -d by-lambda-scatter.gp` in this folder draws by-lambda-scatter.svg from by-lambda-scatter.csv.
reset session
set encoding utf8
set terminal svg size 700,572 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'by_lambda_scatter'
set output 'by-lambda-scatter.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set key at screen 0.5,screen 0.995 top center horizontal Left reverse maxcols 2 width 1 samplen 2 spacing 1
set lmargin at screen 0.15714
set rmargin at screen 0.84286
set tmargin at screen 0.93357
set bmargin at screen 0.09441
set xrange [0:100]
set yrange [0:100]
set xtics 10
set ytics 10
set grid lc rgb '#DDDDDD'
set xlabel 'AUROC in the last epoch, percent'
set ylabel 'AUROC in the best epoch (selected on the test split), percent'
set arrow 1 from 0,0 to 100,100 nohead lc rgb '#444444'
set arrow 2 from 50,0 to 50,100 nohead dt 3 lc rgb '#666666'
set arrow 3 from 0,50 to 100,50 nohead dt 3 lc rgb '#666666'
plot 'by-lambda-scatter.csv' skip 1 using ($1==0 ? $2 : NaN):3 with points pt 6 ps 0.7 lc rgb '#0072B2' title 'LinearMap'
set output
