import { badFlag } from '../../refuse-flag.ts';

/** Reads `pods=ns/a,ns/b;persistentvolumes=x`. @throws AppError BAD_FLAG in Velero's words (cli.md section 3) */
export function parseOrderedResources(text: string): Record<string, string> {
  const ordered: Record<string, string> = {};
  for (const part of text.split(';')) {
    const [kind = '', names = '', ...rest] = part.split('=').map((each) => each.trim());
    if (kind === '' || names === '' || rest.length > 0 || Object.hasOwn(ordered, kind))
      throw badFlag(
        `invalid OrderedResources '${part.trim()}'`,
        "Write each kind once, with its objects: 'pods=ns1/pod1,ns1/pod2;persistentvolumes=pv4'.",
      );
    ordered[kind] = names
      .split(',')
      .map((name) => name.trim())
      .join(',');
  }
  return ordered;
}
