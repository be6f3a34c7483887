// Answers of the package and of the command, in one form.

export const plain = (answers) => answers.map(({ id, label, score }) => [id, label, score]);
export const expected = (answers) => answers.map(({ id, name, score }) => [id, name, score]);

export const firstLines = (text, count) => text.split("\n").slice(0, count).join("\n") + "\n";
