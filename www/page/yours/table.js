// A table of texts and labels, read from lines with tabs.

/** What stands between the labels of a field; the last is for fields that are one label. */
const SEPARATORS = { spaces: /\s+/, commas: ',', semicolons: ';', bars: '|', nothing: undefined };

const TEXTS = ['text', 'texts', 'title', 'description'];
const LABELS = ['label', 'labels', 'category', 'categories', 'class', 'subject', 'subjects', 'tags'];

const fieldsOf = (line) => line.split('\t').map((field) => field.trim());
const find = (fields, names) => fields.findIndex((field) => names.includes(field.toLowerCase()));

/** The labels of a field. */
export const labelsOf = (field, separator) => {
  const between = SEPARATORS[separator];
  const labels = between === undefined ? [field] : field.split(between);
  return [...new Set(labels.map((label) => label.trim()).filter(Boolean))];
};

/** How many different labels there are if fields are divided so. */
const distinct = (fields, separator) => new Set(fields.flatMap((field) => labelsOf(field, separator))).size;

/**
 * The separator of most likely use: labels recur, so it is the one that leaves the fewest different
 * ones; fields are one label each unless another is better.
 */
export const likelySeparator = (fields) => {
  let best = 'nothing';
  let fewest = distinct(fields, best);
  for (const separator of Object.keys(SEPARATORS)) {
    const found = distinct(fields, separator);
    if (found < fewest) [best, fewest] = [separator, found];
  }
  return best;
};

/**
 * Reads lines of a text, a tab, and labels: `{ texts, fields }`, a field of labels for each text. A
 * first line may name the columns. Throws what is wrong, with the line.
 */
export const readTable = (content) => {
  const lines = content.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = fieldsOf(lines[0]);
  let [text, labels] = [find(first, TEXTS), find(first, LABELS)];
  const isNamed = text >= 0 && labels >= 0;
  if (!isNamed) [text, labels] = [0, 1];
  const table = { texts: [], fields: [] };
  lines.forEach((line, at) => {
    if (!line.trim() || (isNamed && at === 0)) return;
    const fields = fieldsOf(line);
    const wrong = (what) => new Error(`line ${at + 1} ${what}`);
    if (fields.length === 1) throw wrong('has no tab: each line is a text, a tab, and its labels');
    if (fields.length > 2 && !isNamed) {
      throw wrong(`has ${fields.length} fields: keep two, or name the columns in the first line: text and labels`);
    }
    if (!fields[text] || !fields[labels]) throw wrong(`lacks its ${fields[text] ? 'labels' : 'text'}`);
    table.texts.push(fields[text]);
    table.fields.push(fields[labels]);
  });
  if (table.texts.length === 0) throw new Error('there are no lines');
  return table;
};
