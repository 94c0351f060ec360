# t-SNE, version 1, of dump 4515f24c9c130709cef1d70ef941ab29: epoch 1, features, 48 rows, 3 dimensions, perplexity 15.666666666666666, 1000 iterations, seed 0
# SHA-256 of tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv: 4d3a7d071a6c35ea4d14b239ce20e111eb10f6bc89a4e3a6d477f16d9b8f526c
# `gnuplot -d tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.gp` in this folder draws tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.svg from tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv.
reset session
set encoding utf8
set terminal svg size 700,302 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'tsne_7e8b163934baed0d13f6d9a1383d03b5_features_3d'
set output 'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set multiplot
set key at screen 0.5,screen 0.985 top center horizontal Left reverse maxrows 1 width 1 samplen 1
unset tics
set border 4095 lc rgb '#BBBBBB'
set xyplane relative 0
set view equal xyz
set origin 0.00000,0.06623
set size 0.33333,0.82781
set view 65, 25, 1.4
set label 1 'turned by 25 degrees, tilted by 65' at screen 0.16667,screen 0.03311 center font ',10' tc rgb '#444444'
splot 'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'anomalous' ? $3 : NaN) with points pt 4 ps 0.4 lc rgb '#AA4C92' title 'anomalous rows', \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'pseudo' ? $3 : NaN) with points pt 8 ps 0.4 lc rgb '#D98600' title 'pseudo-anomalies', \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'normal' ? $3 : NaN) with points pt 6 ps 0.4 lc rgb '#0072B2' title 'normal rows'
unset key
set origin 0.33333,0.06623
set size 0.33333,0.82781
set view 65, 115, 1.4
set label 1 'turned by 115 degrees, tilted by 65' at screen 0.50000,screen 0.03311 center font ',10' tc rgb '#444444'
splot 'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'anomalous' ? $3 : NaN) with points pt 4 ps 0.4 lc rgb '#AA4C92' notitle, \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'pseudo' ? $3 : NaN) with points pt 8 ps 0.4 lc rgb '#D98600' notitle, \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'normal' ? $3 : NaN) with points pt 6 ps 0.4 lc rgb '#0072B2' notitle
unset key
set origin 0.66667,0.06623
set size 0.33333,0.82781
set view 20, 70, 1.4
set label 1 'turned by 70 degrees, tilted by 20' at screen 0.83333,screen 0.03311 center font ',10' tc rgb '#444444'
splot 'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'anomalous' ? $3 : NaN) with points pt 4 ps 0.4 lc rgb '#AA4C92' notitle, \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'pseudo' ? $3 : NaN) with points pt 8 ps 0.4 lc rgb '#D98600' notitle, \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-features-3d.csv' skip 1 using 1:2:(strcol(4) eq 'normal' ? $3 : NaN) with points pt 6 ps 0.4 lc rgb '#0072B2' notitle
unset key
unset multiplot
set output
