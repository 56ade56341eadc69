/** Everything that could move a terminal's cursor, colour it, or turn the direction of what follows. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Text from elsewhere (a status, an Event, an engine) on one line, with nothing in it that a terminal would obey. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(controls, '').trim();
}
