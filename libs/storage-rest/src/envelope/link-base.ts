/** What of a request decides where its links lead. */
export interface RequestAddress {
  /** Path that was asked for, without the query. */
  readonly path: string;
  /** Headers by lower case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Setting manager-url; empty for none. */
  readonly managerUrl?: string;
}

/** Scheme, host and port that all links of an answer begin with, and what a proxy puts before the path. No slash at the end. */
export function linkBase({ path, headers, managerUrl = '' }: RequestAddress): string {
  const asked = headers['x-api-request-url'];
  if (asked !== undefined && URL.canParse(asked)) return beforePath(asked, path);
  if (managerUrl !== '') return managerUrl;
  const host = first(headers['x-forwarded-host']) ?? headers.host ?? 'localhost';
  const [protocol, port] = [first(headers['x-forwarded-proto']) ?? 'http', first(headers['x-forwarded-port'])];
  const isUsual = port === undefined || port === (protocol === 'https' ? '443' : '80') || /:\d+$/.test(host);
  return `${protocol}://${host}${isUsual ? '' : `:${port}`}`;
}

function beforePath(asked: string, path: string): string {
  const { origin, pathname } = new URL(asked);
  return pathname.endsWith(path) ? `${origin}${pathname.slice(0, pathname.length - path.length)}` : origin;
}

/** Of proxies in a row, the one next to the client. */
const first = (header: string | undefined): string | undefined => {
  const value = header?.split(',')[0]?.trim();
  return value === '' ? undefined : value;
};
