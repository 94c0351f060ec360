# `gnuplot -d by-lambda-shares.gp` in this folder draws by-lambda-shares.svg from by-lambda-shares.csv.
reset session
set encoding utf8
set terminal svg size 700,164 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'by_lambda_shares'
set output 'by-lambda-shares.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
unset key
set border 0
set xrange [-0.5:9.5]
set yrange [1.5:-0.5]
set palette defined (0 '#F7FBFF', 25 '#C6DBEF', 50 '#6BAED6', 75 '#2171B5', 100 '#08306B')
set cbrange [0:100]
set cbtics 25 scale 0.5 font ',10'
set xtics ('airplane' 0, 'automobile' 1, 'bird' 2, 'cat' 3, 'deer' 4, 'dog' 5, 'frog' 6, 'horse' 7, 'ship' 8, 'truck' 9) rotate by 90 right scale 0 font ',10'
set title offset 0,-0.6
set lmargin at screen 0.16000
set rmargin at screen 0.49571
set tmargin at screen 0.82927
set bmargin at screen 0.54878
set ytics ('lambda 5' 0, 'lambda...o birds' 1) scale 0 font ',10'
set colorbox user vertical origin screen 0.9000, screen 0.1585 size screen 0.02, screen 0.6707
set cblabel '% on the right side' font ',10' offset -0.5,0
set title 'LinearMap'
plot 'by-lambda-shares.csv' skip 1 using ($1==0 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'by-lambda-shares.csv' skip 1 using ($1==0&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'by-lambda-shares.csv' skip 1 using ($1==0&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
unset multiplot
set output
