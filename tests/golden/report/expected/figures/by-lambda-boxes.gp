# `gnuplot -d by-lambda-boxes.gp` in this folder draws by-lambda-boxes.svg from by-lambda-boxes.csv.
reset session
set encoding utf8
set terminal svg size 700,504 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'by_lambda_boxes'
set output 'by-lambda-boxes.svg'
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
set xrange [-0.5:1.5]
set xtics ('lambda 5' 0, 'lambda 10, no birds' 1) norotate center
set ylabel 'best epoch' offset 1,0
set arrow from 0.5, graph 0 to 0.5, graph 1 nohead lc rgb '#DDDDDD' back
plot 'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1+0.00000 : NaN):6:5:9:8:(0.72000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'LinearMap' whiskerbars 0.5, \
  'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1+0.00000 : NaN):7:7:7:7:(0.72000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1+0.00000 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle
unset key
unset arrow
set lmargin at screen 0.08571
set rmargin at screen 0.98571
set tmargin at screen 0.45238
set bmargin at screen 0.09127
set xrange [-0.5:1.5]
set xtics ('lambda 5' 0, 'lambda 10, no birds' 1) norotate center
set ylabel 'last epoch' offset 1,0
set arrow from 0.5, graph 0 to 0.5, graph 1 nohead lc rgb '#DDDDDD' back
plot 'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1+0.00000 : NaN):6:5:9:8:(0.72000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'LinearMap' whiskerbars 0.5, \
  'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1+0.00000 : NaN):7:7:7:7:(0.72000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'by-lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1+0.00000 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle
unset key
unset arrow
unset multiplot
set output
