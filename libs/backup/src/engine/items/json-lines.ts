const pieceChars = 64 * 1024;

/** Lines joined to pieces of a useful size; the work of others goes on in between. */
export async function* jsonLines(lines: Iterable<string>): AsyncGenerator<Uint8Array> {
  let held: string[] = [];
  let chars = 0;
  for (const line of lines) {
    held.push(line, '\n');
    chars += line.length;
    if (chars < pieceChars) continue;
    yield Buffer.from(held.join(''));
    held = [];
    chars = 0;
  }
  if (held.length > 0) yield Buffer.from(held.join(''));
}
