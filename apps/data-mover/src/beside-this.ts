/** The file of another program of this app: a source beside a source, a bundle beside a bundle. */
export function besideThis(name: string, ownUrl: string): URL {
  return new URL(`./${name}${ownUrl.endsWith('.ts') ? '.ts' : '.mjs'}`, ownUrl);
}
