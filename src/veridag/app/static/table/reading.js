// How the file is read, where it does not say so itself, and what is done about missing values.
import {choice, element} from "../dom.js";

const FIELDS = [
  ["missing", "Where a value is missing", [["", "keep it as missing"], ["drop", "leave out the row"], ["state", "make missing a category of its own"], ["indicator", "keep it, and add a column that says so"]]],
  ["separator", "Columns are separated by", [["", "what is found"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar"]]],
  ["decimal", "Decimal mark", [["", "what is found"], [".", "point"], [",", "comma"]]],
  ["encoding", "Encoding of the text", [["", "what is found"], ["utf-8", "UTF-8"], ["cp1252", "Windows, Western"], ["latin-1", "Latin 1"], ["utf-16", "UTF-16"]]],
];

const ONLY_TEXT = ["separator", "encoding"];

export function readingOptions({choices, tables, takes}, change) {
  const fields = FIELDS.filter(([field]) => takes.includes(field) || choices[field] || !ONLY_TEXT.includes(field));
  const sheets = tables.length > 1 || choices.sheet ? [["sheet", "Sheet or table", [["", "the first with a table"], ...tables.map(name => [name, name])]]] : [];
  return element("div", {className: "choices"}, ...[...sheets, ...fields].map(([field, text, options]) => {
    const now = choices[field] ?? "";
    const shown = options.some(([value]) => value === now) ? options : [...options, [now, now]];
    return element("label", {className: "choice"}, element("span", {}, text),
      choice(shown, now, value => change({[field]: value || null}, text), {data: {key: `reading-${field}`}}));
  }));
}
