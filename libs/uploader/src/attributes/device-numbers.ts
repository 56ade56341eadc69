/** Linux, makedev(3): 12 bits of major, 20 bits of minor in two parts. */
export function deviceNumbers(rdev: number): { major: number; minor: number } {
  return { major: (rdev >>> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >>> 12) & 0xfff00) };
}
