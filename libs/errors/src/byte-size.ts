const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A size in bytes as messages and tables show it: `512 B`, `1.5 MiB`, `612 MiB`. Three significant digits, no zeros at the end. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}
