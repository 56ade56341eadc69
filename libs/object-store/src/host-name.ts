/** Whether a text can be one part of a host name, between dots (RFC 1123): nothing in it ends the host of a URL. */
export const isHostLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);

/** Whether a text is `host` or `host:port` and nothing more: a name, an IPv4 address, or an IPv6 address in brackets. */
export const isHostAndPort = (text: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)(:\d{1,5})?$/i.test(text);
