import type { StoredManifest } from '../client/server-session.ts';

/** kopia's command line stores `--tags k:v` under `tag:k`, in the manifest and among its labels. */
const cliPrefix = 'tag:';

/**
 * The same manifest with the named tags as Velero writes and looks for them: under their own names (data-movement.md section 9,
 * "Snapshot manifest"). Undefined when none of them has the form of the command line. Other tags stay as they are. Pure.
 * @throws SyntaxError when the manifest is no JSON
 */
export function withReferenceTags(
  { json, labels }: StoredManifest,
  names: readonly string[],
): Omit<StoredManifest, 'id'> | undefined {
  const manifest = JSON.parse(json) as { tags?: Record<string, string> };
  const tags = renamed(manifest.tags ?? {}, names);
  const newLabels = renamed(labels, names);
  if (tags === undefined && newLabels === undefined) return undefined;
  return { json: JSON.stringify({ ...manifest, tags: tags ?? manifest.tags }), labels: newLabels ?? labels };
}

/** Undefined when there is nothing to rename. */
function renamed(tags: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> | undefined {
  const wanted = new Set(names.map((name) => cliPrefix + name));
  const entries = Object.entries(tags);
  if (!entries.some(([name]) => wanted.has(name))) return undefined;
  return Object.fromEntries(
    entries.map(([name, value]) => [wanted.has(name) ? name.slice(cliPrefix.length) : name, value]),
  );
}
