import { isNamespaceName } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { badFlag } from '../../refuse-flag.ts';

/** Reads `from:to` pairs. @throws AppError BAD_FLAG naming the pair that is wrong, or a namespace that is mapped twice */
export function parseNamespaceMappings(pairs: readonly string[]): Record<string, string> {
  const mapping = new Map<string, string>();
  for (const pair of pairs) {
    const [from = '', to = '', ...rest] = pair.split(':').map((name) => name.trim());
    if (![from, to].every(isNamespaceName) || rest.length > 0)
      throw badFlag(
        `--namespace-mappings: ${quoted(pair)} is not of the form from:to`,
        'Write two names of namespaces, such as shop:shop-copy.',
      );
    if (mapping.has(from)) throw badFlag(`--namespace-mappings: ${quoted(from)} is mapped twice`);
    mapping.set(from, to);
  }
  return Object.fromEntries(mapping);
}
