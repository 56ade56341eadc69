/** The examples of a command, rewritten for the form with the verb first: `backup get` becomes `get backups`. */
export function examplesAs(examples: string, words: string, name: string): string {
  const [noun = '', verb = ''] = words.split(' ');
  return name === verb ? examples : examples.replaceAll(`lateen ${noun} ${verb}`, `lateen ${verb} ${name}`);
}
