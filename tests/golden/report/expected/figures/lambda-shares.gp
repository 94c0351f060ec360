# `gnuplot -d lambda-shares.gp` in this folder draws lambda-shares.svg from lambda-shares.csv.
reset session
set encoding utf8
set terminal svg size 700,658 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'lambda_shares'
set output 'lambda-shares.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
unset key
set border 0
set xrange [-0.5:9.5]
set yrange [5.5:-0.5]
set palette defined (0 '#F7FBFF', 25 '#C6DBEF', 50 '#6BAED6', 75 '#2171B5', 100 '#08306B')
set cbrange [0:100]
set cbtics 25 scale 0.5 font ',10'
set xtics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5, 'frog' 6, 'horse' 7, 'ship' 8, 'truck' 9) rotate by 90 right scale 0 font ',10'
set title offset 0,-0.6
set lmargin at screen 0.16000
set rmargin at screen 0.49571
set tmargin at screen 0.95745
set bmargin at screen 0.74772
set ytics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5) scale 0 font ',10'
set colorbox user vertical origin screen 0.9000, screen 0.7477 size screen 0.02, screen 0.2097
set cblabel '% on the right side' font ',10' offset -0.5,0
set title 'PLAD, run again'
plot 'lambda-shares.csv' skip 1 using ($1==0 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'lambda-shares.csv' skip 1 using ($1==0&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'lambda-shares.csv' skip 1 using ($1==0&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
set lmargin at screen 0.52429
set rmargin at screen 0.86000
set tmargin at screen 0.95745
set bmargin at screen 0.74772
unset ytics
unset colorbox
set title 'PLUME, lambda 5'
plot 'lambda-shares.csv' skip 1 using ($1==1 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'lambda-shares.csv' skip 1 using ($1==1&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'lambda-shares.csv' skip 1 using ($1==1&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
set lmargin at screen 0.16000
set rmargin at screen 0.49571
set tmargin at screen 0.62918
set bmargin at screen 0.41945
set ytics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5) scale 0 font ',10'
unset colorbox
set title 'PLUME, lambda 10'
plot 'lambda-shares.csv' skip 1 using ($1==2 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'lambda-shares.csv' skip 1 using ($1==2&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'lambda-shares.csv' skip 1 using ($1==2&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
set lmargin at screen 0.52429
set rmargin at screen 0.86000
set tmargin at screen 0.62918
set bmargin at screen 0.41945
unset ytics
unset colorbox
set title 'PLUME, best lambda'
plot 'lambda-shares.csv' skip 1 using ($1==3 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'lambda-shares.csv' skip 1 using ($1==3&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'lambda-shares.csv' skip 1 using ($1==3&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
set lmargin at screen 0.16000
set rmargin at screen 0.49571
set tmargin at screen 0.30091
set bmargin at screen 0.09119
set ytics ('Plane' 0, 'Car' 1, 'Bird' 2, 'Cat' 3, 'Deer' 4, 'Dog' 5) scale 0 font ',10'
unset colorbox
set title 'PLUME, max'
plot 'lambda-shares.csv' skip 1 using ($1==4 ? $3 : NaN):2:(0.5):(0.5):4 with boxxyerror fs solid 1.0 noborder fc palette notitle, \
  'lambda-shares.csv' skip 1 using ($1==4&&$4>62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#FFFFFF' notitle, \
  'lambda-shares.csv' skip 1 using ($1==4&&$4<=62 ? $3 : NaN):2:(sprintf('%.0f', $4)) with labels font ',9' tc rgb '#000000' notitle
unset multiplot
set output
