/** Everything of which kopia keeps nothing or not enough: links, special files, and files with several names. */
export const notKeptByKopia = ['-type l', '-type p', '-type b', '-type c', '-type s', '-type f -links +1'].flatMap(
  (test, index) => [...(index === 0 ? [] : ['-o']), ...test.split(' ')],
);

/** Names with anything but printable ASCII; the few that are no UTF-8 are found among them. */
export const oddlyNamed = ['-name', '*[^ -~]*'];

/** Links whose targets have anything but printable ASCII. */
export const oddlyTargeted = ['-type', 'l', '-lname', '*[^ -~]*'];

/**
 * kopia gives back all that a record holds of an empty folder, but not the time of others (docs/adr/0009-attribute-manifest.md).
 * The root is always there, as a sign that there is a volume.
 */
export function foldersToKeep(root: string): string[] {
  const itself = root.replace(/[*?[\\]/g, '\\$&');
  return ['-type', 'd', '(', '!', '-empty', '-o', '-path', itself, ')'];
}
