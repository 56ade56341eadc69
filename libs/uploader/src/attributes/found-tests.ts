/** Entries that kopia does not keep, or not completely: links, special files, and files with several names. */
export const notKeptByKopia = ['-type l', '-type p', '-type b', '-type c', '-type s', '-type f -links +1'].flatMap(
  (test, index) => [...(index === 0 ? [] : ['-o']), ...test.split(' ')],
);

/** Names with bytes other than printable ASCII; the few names that are not UTF-8 are among them. */
export const oddlyNamed = ['-name', '*[^ -~]*'];

/** Links whose targets have bytes other than printable ASCII. */
export const oddlyTargeted = ['-type', 'l', '-lname', '*[^ -~]*'];

/**
 * kopia restores everything that a record holds of an empty folder, but not the time of other folders
 * (docs/adr/0009-attribute-manifest.md). The root is always included, as a sign that there is a volume.
 */
export function foldersToKeep(root: string): string[] {
  const itself = root.replace(/[*?[\\]/g, '\\$&');
  return ['-type', 'd', '(', '!', '-empty', '-o', '-path', itself, ')'];
}
