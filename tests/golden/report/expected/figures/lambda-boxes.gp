# `gnuplot -d lambda-boxes.gp` in this folder draws lambda-boxes.svg from lambda-boxes.csv.
reset session
set encoding utf8
set terminal svg size 700,540 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'lambda_boxes'
set output 'lambda-boxes.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
set key at screen 0.5,screen 0.995 top center horizontal Left reverse maxcols 2 width 1 samplen 2 spacing 1
set yrange [20:90]
set ytics 10
set grid ytics lc rgb '#DDDDDD'
set lmargin at screen 0.08571
set rmargin at screen 0.98571
set tmargin at screen 0.85926
set bmargin at screen 0.52222
set xrange [-0.5:5.5]
set xtics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5) norotate center
set ylabel 'best epoch' offset 1,0
set arrow from 0.5, graph 0 to 0.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 1.5, graph 0 to 1.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 2.5, graph 0 to 2.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 3.5, graph 0 to 3.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 4.5, graph 0 to 4.5, graph 1 nohead lc rgb '#DDDDDD' back
plot 'lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.37500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'PLAD, run again' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.37500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==0&&$3==0 ? $1-0.37500 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1-0.22500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#E69F00' dt 1 title 'PLUME, lambda 5' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1-0.22500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#E69F00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==0 ? $1-0.22500 : NaN):10 with points pt 5 ps 0.35 lc rgb '#E69F00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==0 ? $1-0.07500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#009E73' dt 1 title 'PLUME, lambda 10' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==0 ? $1-0.07500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#009E73' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==0 ? $1-0.07500 : NaN):10 with points pt 9 ps 0.35 lc rgb '#009E73' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==0 ? $1+0.07500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#D55E00' dt 1 title 'PLUME, best lambda' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==0 ? $1+0.07500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#D55E00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==0 ? $1+0.07500 : NaN):10 with points pt 13 ps 0.35 lc rgb '#D55E00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==0 ? $1+0.22500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#CC79A7' dt 1 title 'PLUME, max' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==0 ? $1+0.22500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#CC79A7' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==0 ? $1+0.22500 : NaN):10 with points pt 11 ps 0.35 lc rgb '#CC79A7' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==0 ? $1+0.37500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#56B4E9' dt 1 title 'kNN' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==0 ? $1+0.37500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#56B4E9' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==0 ? $1+0.37500 : NaN):10 with points pt 15 ps 0.35 lc rgb '#56B4E9' notitle
unset key
unset arrow
set lmargin at screen 0.08571
set rmargin at screen 0.98571
set tmargin at screen 0.42222
set bmargin at screen 0.08519
set xrange [-0.5:5.5]
set xtics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5) norotate center
set ylabel 'last epoch' offset 1,0
set arrow from 0.5, graph 0 to 0.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 1.5, graph 0 to 1.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 2.5, graph 0 to 2.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 3.5, graph 0 to 3.5, graph 1 nohead lc rgb '#DDDDDD' back
set arrow from 4.5, graph 0 to 4.5, graph 1 nohead lc rgb '#DDDDDD' back
plot 'lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.37500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#0072B2' dt 1 title 'PLAD, run again' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.37500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#0072B2' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==0&&$3==1 ? $1-0.37500 : NaN):10 with points pt 7 ps 0.35 lc rgb '#0072B2' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1-0.22500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#E69F00' dt 1 title 'PLUME, lambda 5' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1-0.22500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#E69F00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==1&&$3==1 ? $1-0.22500 : NaN):10 with points pt 5 ps 0.35 lc rgb '#E69F00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==1 ? $1-0.07500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#009E73' dt 1 title 'PLUME, lambda 10' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==1 ? $1-0.07500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#009E73' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==2&&$3==1 ? $1-0.07500 : NaN):10 with points pt 9 ps 0.35 lc rgb '#009E73' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==1 ? $1+0.07500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#D55E00' dt 1 title 'PLUME, best lambda' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==1 ? $1+0.07500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#D55E00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==3&&$3==1 ? $1+0.07500 : NaN):10 with points pt 13 ps 0.35 lc rgb '#D55E00' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==1 ? $1+0.22500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#CC79A7' dt 1 title 'PLUME, max' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==1 ? $1+0.22500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#CC79A7' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==4&&$3==1 ? $1+0.22500 : NaN):10 with points pt 11 ps 0.35 lc rgb '#CC79A7' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==1 ? $1+0.37500 : NaN):6:5:9:8:(0.12000) with candlesticks fs transparent solid 0.35 lc rgb '#56B4E9' dt 1 title 'kNN' whiskerbars 0.5, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==1 ? $1+0.37500 : NaN):7:7:7:7:(0.12000) with candlesticks lw 2 lc rgb '#56B4E9' notitle, \
  'lambda-boxes.csv' skip 1 using ($2==5&&$3==1 ? $1+0.37500 : NaN):10 with points pt 15 ps 0.35 lc rgb '#56B4E9' notitle
unset key
unset arrow
unset multiplot
set output
