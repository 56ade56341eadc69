/** Which side has to be updated; undefined when both have the same `major.minor`. A version that cannot be read counts as older. */
export function whoIsBehind(client: string, server: string): 'client' | 'server' | undefined {
  const [ours, theirs] = [majorMinor(client), majorMinor(server)];
  if (ours === undefined) return theirs === undefined ? undefined : 'client';
  if (theirs === undefined) return 'server';
  const difference = ours.major - theirs.major || ours.minor - theirs.minor;
  return difference === 0 ? undefined : difference < 0 ? 'client' : 'server';
}

function majorMinor(version: string): { major: number; minor: number } | undefined {
  const found = /^v?(\d{1,6})\.(\d{1,6})(?:[.+-]|$)/.exec(version.trim());
  return found === null ? undefined : { major: Number(found[1]), minor: Number(found[2]) };
}
