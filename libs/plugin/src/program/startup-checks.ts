import { cookie } from '@lateen/plugin-protocol';
import type { Plugin } from '../define-plugin.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why this process cannot serve, as a text for the user who has started it; undefined when it can. */
export function whyNotServed(plugin: Plugin, env: Environment): string | undefined {
  if (env[cookie.name] !== cookie.value) {
    const offers = plugin.offers.map(({ kind, name }) => `  ${kind.padEnd(20)} ${name}\n`).join('');
    return (
      `${plugin.name} is a plugin of Lateen and Velero: the server starts it, it does nothing when it is run by hand. It offers\n` +
      `${offers}Add it to a server with "lateen plugin add IMAGE" or "velero plugin add IMAGE".\n`
    );
  }
  if (env.PLUGIN_CLIENT_CERT) {
    return `${plugin.name}: the server asks for TLS (PLUGIN_CLIENT_CERT is set), which plugins of Velero do not speak.\n`;
  }
  return undefined;
}
