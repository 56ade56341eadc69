import { oddlyTargeted } from '../attributes/found-tests.ts';
import { isText, shownName } from '../attributes/kopia-name.ts';
import { find, type Scanned } from '../attributes/scan-programs.ts';

/** The most links that the warning names; the rest is counted. */
const linksToldMax = 5;

/**
 * A warning about links that restic 0.14 does not keep: it stores names byte by byte, but the targets of links as JSON text, in
 * which bytes that belong to no UTF-8 character are replaced (seen with Debian's 0.14.0). Reads folders only, not entries.
 * @throws as `scan`
 */
export async function changedTargets(volume: Scanned): Promise<string | undefined> {
  const told: string[] = [];
  let count = 0;
  await find(volume, oddlyTargeted, ({ path, target }) => {
    if (isText(target)) return;
    count++;
    if (told.length < linksToldMax) told.push(`${shownName(path)} to ${shownName(target)}`);
  });
  if (count === 0) return undefined;
  const more = count > told.length ? '; …' : '';
  return (
    `the targets of ${count} links are not UTF-8: restic keeps them with other characters, so that they lead nowhere after a restore; ` +
    `UploaderType kopia keeps them: ${told.join('; ')}${more}`
  );
}
