# t-SNE, version 1, of dump 4515f24c9c130709cef1d70ef941ab29: epoch 1, embedding, 48 rows, 2 dimensions, perplexity 15.666666666666666, 1000 iterations, seed 0
# SHA-256 of tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv: cc37b03eb49201309bdf94402af03bc209d3a72a2e8752a7e527dcc51715427f
# `gnuplot -d tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.gp` in this folder draws tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.svg from tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv.
reset session
set encoding utf8
set terminal svg size 700,592 fixed noenhanced background '#ffffff' font 'sans-serif,12' name 'tsne_7e8b163934baed0d13f6d9a1383d03b5_embedding_2d'
set output 'tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.svg'
set datafile separator comma
set tics nomirror
set border 3 lc rgb '#444444'
set key at screen 0.5,screen 0.985 top center horizontal Left reverse maxrows 1 width 1 samplen 1
set lmargin at screen 0.10714
set rmargin at screen 0.89286
set tmargin at screen 0.94595
set bmargin at screen 0.01689
unset tics
set border 15 lc rgb '#BBBBBB'
stats 'tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv' skip 1 using 1:2 nooutput
half = 0.53 * (STATS_max_x - STATS_min_x > STATS_max_y - STATS_min_y ? STATS_max_x - STATS_min_x : STATS_max_y - STATS_min_y)
if (half == 0) half = 1
x = (STATS_min_x + STATS_max_x) / 2
y = (STATS_min_y + STATS_max_y) / 2
set xrange [x-half:x+half]
set yrange [y-half:y+half]
plot 'tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv' skip 1 using 1:(strcol(3) eq 'anomalous' ? $2 : NaN) with points pt 4 ps 0.55 lc rgb '#AA4C92' title 'anomalous rows', \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv' skip 1 using 1:(strcol(3) eq 'pseudo' ? $2 : NaN) with points pt 8 ps 0.55 lc rgb '#D98600' title 'pseudo-anomalies', \
  'tsne-7e8b163934baed0d13f6d9a1383d03b5-embedding-2d.csv' skip 1 using 1:(strcol(3) eq 'normal' ? $2 : NaN) with points pt 6 ps 0.55 lc rgb '#0072B2' title 'normal rows'
set output
