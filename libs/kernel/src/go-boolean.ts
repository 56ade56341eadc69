const forms: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text): [string, boolean] => [text, true]),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text): [string, boolean] => [text, false]),
]);

/** Parses a boolean as Velero does in flags and settings (Go, strconv.ParseBool); undefined for any other text. */
export const parseBoolean = (text: string): boolean | undefined => forms.get(text);
