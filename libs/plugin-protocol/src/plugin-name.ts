/** RFC 1123, as Kubernetes holds it. */
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dnsSubdomainLengthMax = 253;

/** What is wrong with the name of a plugin; undefined when it is `<DNS subdomain>/<name>`. */
export function wrongInPluginName(name: string): string | undefined {
  const [domain = '', rest = '', ...more] = name.split('/');
  if (!name.includes('/')) return 'it has no "/"';
  if (more.length > 0) return 'it has more than one "/"';
  if (domain === '') return 'the part before its "/" is empty';
  if (rest === '') return 'the part after its "/" is empty';
  if (domain.length > dnsSubdomainLengthMax || !dnsSubdomain.test(domain)) return `"${domain}" is not a DNS subdomain`;
  return undefined;
}

/** Names in locations may leave out the domain of the plugins that once came with Velero: `aws` is `velero.io/aws`. */
export const fullPluginName = (name: string): string => (name.includes('/') ? name : `velero.io/${name}`);
