// Writes the page.
#include "workers/contact_sheet.hpp"

#include <fmt/format.h>

#include "datasets/png_encoder.hpp"
#include "storage/base64.hpp"
#include "storage/printable.hpp"

namespace workers {
namespace {

/// The policy lets a browser run and load nothing, whatever got into the page.
constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
)";

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light dark; --ink: #1c2024; --soft: #667079; --line: #dde1e5; --page: #fbfbfc; --card: #fff; --mark: #b3541e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #9aa3ab; --line: #33383d; --page: #15181a; --card: #1d2124; --mark: #f0a35e; } }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 72rem; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .4rem; font-size: 1.5rem; overflow-wrap: anywhere; }
header p { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
section { margin-top: 1.6rem; border-top: 1px solid var(--line); padding-top: .8rem; }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h2 span { margin-left: .6em; color: var(--soft); font-weight: normal; font-size: .85rem; }
h2 .anomaly { color: var(--mark); }
.row { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); gap: .6rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
img { display: block; width: 100%; height: auto; }
figcaption { padding: .25rem .4rem; color: var(--soft); font-size: .7rem; line-height: 1.35; }
figcaption b { display: block; color: var(--ink); font-weight: normal; overflow-wrap: anywhere; }
@media (max-width: 48rem) { .row { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
</style>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : storage::printable_line(text, 1024)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void write_picture(const SheetPicture& picture, std::string& html) {
  const auto id = escaped(picture.row_id);
  auto last = escaped(picture.row_id.substr(picture.row_id.rfind('/') + 1));
  if (const auto at = last.rfind('#'); at != std::string::npos) last.insert(at, "<wbr>");  // "data_batch_1.bin#17"
  html += fmt::format(
      "<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\" title=\"{}: {}, {}\">"
      "<figcaption><b>{}</b>{}</figcaption></figure>\n",
      storage::base64(datasets::encode_png(picture.image)), picture.image.width, picture.image.height, id, id,
      escaped(picture.size), escaped(picture.about), last,
      escaped(picture.caption.empty() ? picture.size : picture.caption));
}

void write_class(const SheetClass& shown, std::string& html) {
  html += fmt::format("<section>\n<h2>{}<span>{}</span>{}</h2>\n<div class=\"row\">\n", escaped(shown.name),
                      escaped(shown.about), shown.only_anomaly ? "<span class=\"anomaly\">only an anomaly</span>" : "");
  for (const auto& picture : shown.pictures) write_picture(picture, html);
  html += "</div>\n</section>\n";
}

}  // namespace

std::vector<std::int64_t> evenly_spread(const std::vector<std::int64_t>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(rows[i * rows.size() / most]);
  return chosen;
}

std::string to_html(const ContactSheet& sheet) {
  const auto title = escaped(sheet.title);
  std::string html = kHead;
  html += fmt::format("<title>{}</title>\n{}</head>\n<body>\n<header>\n<h1>{}</h1>\n", title, kStyle, title);
  for (const auto& note : sheet.notes) html += fmt::format("<p>{}</p>\n", escaped(note));
  html += "</header>\n";
  for (const auto& shown : sheet.classes) write_class(shown, html);
  html += "</body>\n</html>\n";
  return html;
}

}  // namespace workers
