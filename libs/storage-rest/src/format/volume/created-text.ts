/** A moment as a volume's `created` says it: `2026-08-21 17:16:52 +0000 UTC`. Empty for none, the text itself for what is no moment. */
export function createdText(moment: string | undefined): string {
  const at = moment === undefined ? Number.NaN : Date.parse(moment);
  if (Number.isNaN(at)) return moment ?? '';
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
