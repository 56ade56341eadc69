/** `██████░░░░ 25 %`; the done part of a total, in `width` steps. */
export function progressBar(done: number, total: number, width: number): string {
  const share = Math.min(done / total, 1);
  const filled = Math.round(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(share * 100)} %`;
}
