import { AppError, quoted } from '@lateen/errors';
import type { PluginKind } from '@lateen/plugin-protocol';
import type { Offer, Plugin } from '../define-plugin.ts';

/** What a request asks for, by kind and name. @throws PLUGIN_NOT_OFFERED */
export function offered<Part>(
  plugin: Plugin,
  kind: PluginKind,
  name: string,
  parts: Readonly<Record<string, Part>> | undefined,
): { offer: Offer; part: Part } {
  const offer = plugin.offers.find((one) => one.kind === kind && one.name === name);
  const part = offer === undefined ? undefined : parts?.[name];
  if (offer !== undefined && part !== undefined) return { offer, part };
  const names = plugin.offers.filter((one) => one.kind === kind).map((one) => one.name);
  throw new AppError('PLUGIN_NOT_OFFERED', `plugin ${plugin.name} has no ${kind} ${quoted(name)}`, {
    nextStep: names.length === 0 ? `It has none of this kind.` : `It has ${names.join(', ')}.`,
  });
}
