// The parts of the sweep parser. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "storage/json.hpp"
#include "sweeps/axis.hpp"
#include "sweeps/published_tables.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {

/// One element of "blocks" without its rules. `datasets` are those that a block may name.
Block parse_block(const storage::JsonValue& value, const std::vector<DatasetSpec>& datasets);
/// What no single value can say of a block's jobs, e.g. more neighbours than rows.
void check_together(const storage::JsonValue& block, const std::vector<Job>& jobs);
/// Whether a key of a block has a meaning for some method of `block`.
bool means_something(const std::string& key, const storage::JsonValue& block);

/// "blocks" with their "exclude" and "include". `as_named` are the same without substitutes, of which rules speak.
std::vector<Block> parse_blocks(const storage::JsonValue& as_named, const storage::JsonValue& blocks,
                                const Substitutes& substitutes, const std::vector<DatasetSpec>& datasets,
                                const std::string& origin);

/// "tables", which has at least one; tables without rows get those of their published table, or of
/// `rows_for_settings`. `substitutes` hold for the rows of published tables: those of the file have them already.
std::vector<TableSpec> parse_tables(const storage::JsonValue& value, const std::vector<Block>& blocks,
                                    const Substitutes& substitutes);

/// Every mode, in the order in which tables print them.
const std::vector<Mode>& all_modes();

/// `where`: axes and the values that match. `with_class`: the class may be among them.
Selection read_selection(const storage::JsonValue& where, bool with_class);

/// "rows" of a table that may stand beside a published one (null: none).
std::vector<TableRow> read_rows(const storage::JsonValue& value, const PublishedTable* published,
                                const Substitutes& substitutes);

/// The rows that make a published table again, with literature between them as printed.
std::vector<TableRow> rows_of(const PublishedTable& published, const Substitutes& substitutes);
TableRow row_of(const PublishedTable& published, const PublishedRow& row, const Substitutes& substitutes);
/// Every row against the paper's full method where the table has it once, else each against each.
Compare comparison_of(const PublishedTable& published, const std::vector<TableRow>& rows);

/// One table for each data set of the blocks, for a sweep without "tables".
std::vector<TableSpec> default_tables(const std::vector<Block>& blocks);

/// One row for each distinct setting (a job but for its class and seed) of one data set, or of all where `dataset` is
/// empty, called by its setting_names.
std::vector<TableRow> rows_for_settings(const std::vector<Block>& blocks, const std::string& dataset);

/// The values of an axis: one, or a list with at least one. Refuses an empty list.
std::vector<storage::JsonValue> one_or_more(const storage::JsonValue& value);

/// The text of `value` as a value of `axis`, in the spelling of the canonical text.
std::string text_of(const Axis& axis, const storage::JsonValue& value);

/// For a key that is not known: the nearest right one, also for words from elsewhere such as "learning_rate".
[[noreturn]] void refuse_key(const std::string& key, const storage::JsonValue& value,
                             const std::vector<std::string>& known);

}  // namespace sweeps
