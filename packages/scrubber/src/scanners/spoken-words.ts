/** A list of words, read when the first text asks for it. */
function wordList(written: string): (word: string) => boolean {
  let words: ReadonlySet<string> | undefined;
  return (word) => (words ??= new Set(written.split(" "))).has(word);
}

/** Words that tie what follows to what was spoken of. */
export const isTieWord: (word: string) => boolean = wordList(
  "is was are were be becomes become remain remains reads equals 's ’s ist war lautet lautete wird heißt est était sera devient es era será è era sarà diventa é foi era luidt wordt jest brzmi теперь 是 为 為 は が 는 은 będzie — – → -> => это är er je este adalah là είναι це هي هو היא הוא คือ",
);

/** What may stand between such a word and the value. */
export const isAdverb: (word: string) => boolean = wordList(
  "now currently still set changed reset updated rotated to just simply always again temporarily initially probably been jetzt aktuell derzeit nun auf zu neu weiterhin maintenant actuellement désormais à ahora actualmente a agora ora adesso nu momenteel naar teraz obecnie na сейчас stata stato zostało został была был été sido sida worden bylo było пока такой following as follows : « „ “ ‘ 「 is ist est es",
);

/** Words that say that something was replaced: `to` and `from` then tie as well. */
export const isChangeWord: (word: string) => boolean = wordList(
  "set sets setting change changed changes changing reset resets resetting rotate rotated rotating update updated updating updates switch switched replace replaced renew renewed setze gesetzt setzen ändern ändere geändert gewechselt ersetzt zurückgesetzt changé changée changer remplacé modifié modifiée réinitialisé cambia cambie cambié cambió cambiado cambiada cambiar cambiamos actualicé cambiato cambiata cambiare ho mudei mudou mudar alterei alterada alterado alterar trocada troquei veranderd gewijzigd veranderen wijzig gewijzigd ingesteld zmieniłem zmieniłam zmieniono zmień zmienione ustawiono сменил сменила сменили изменил изменён изменен изменили поменял поменяли заменил установлен обновил обновлён обновлен",
);

/** What ties in a sentence about a change. */
export const isChangeTie: (word: string) => boolean = wordList(
  "to from into auf von zu à de en a por da per para naar van in z na с со на -> → =>",
);

/** What may follow the noun itself: the subject is then still the password and not its policy. */
export const isOpener: (word: string) => boolean = wordList(
  "for of to on in at from with used we you i that which by has have had will should can gets api für zum zur des der vom von auf beim im wurde pour du de des la le d'api d'accès secrète à para del da do dos das al di della dell' dello per voor van op naar om dostępu do dla od użytkownika na w z от для к на в из базы сервера доступа пользователя бота api-key secreta segreta foi é has",
);

/** Words that say how a secret came about; a colon may follow them. */
export const isParticiple: (word: string) => boolean = wordList(
  "generated created stored saved printed written shown displayed given sent assigned issued copied chosen generiert erstellt généré créé generada creada generata creata gerada criada gegenereerd",
);

/** Words before a noun with a colon after it: `here's the password: …` is said, `password: string` is code. */
export const isDeterminer: (word: string) => boolean = wordList(
  "the my your our his her their its this new old a an here's heres das dein ihr mein unser neues le la el su tu mi il lo mijn het jouw o a meu minha nova nowe moje новый мой root admin api access wifi wi-fi temporary default database db initial",
);

/** What is named after a secret and is none: a sentence about it ties nothing to the secret. */
export const isOtherSubject: (word: string) => boolean = wordList(
  "id ids hash hashes digest fingerprint checksum limit limits count counts expired invalid version",
);
