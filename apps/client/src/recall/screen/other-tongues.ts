import { raise, type Signal } from "./signal.ts";

/**
 * Orders to drop orders, secrecy and sending, in the languages that agents are most often steered in
 * besides English. Written for text in small letters without marks above and below them.
 */
const tongues: readonly {
  readonly signal: Signal;
  readonly weight: number;
  readonly of: () => RegExp;
}[] = [
  {
    signal: "override",
    weight: 1,
    of: () =>
      /(?:ignor\w{1,8}|vergiss|vergesst|missacht\w{1,5}|uberspring\w{1,5})[^.\n]{0,40}(?:vorherig|bisherig|vorig|vorangegangen|obig|fruher|alle)\w{0,4}[^.\n]{0,30}(?:anweisung|instruktion|vorgabe|regel|befehl)/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () =>
      /(?:ignor\w{1,6}|oubli\w{1,5}|neglig\w{1,5}|ne (?:tiens|tenez) (?:pas|aucun) compte)[^.\n]{0,40}(?:instructions?|consignes?|directives?|regles?)[^.\n]{0,30}(?:precedent|anterieur|ci-dessus|systeme|initial)/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () =>
      /(?:ignor\w{1,6}|olvid\w{1,6}|descart\w{1,6}|esquec\w{1,6}|desconsider\w{1,6}|dimentic\w{1,6})[^.\n]{0,40}(?:instruc\w{2,8}|indicac\w{2,8}|orden\w{0,3}|ordens|reglas|regras|diretrizes|istruzioni|regole)[^.\n]{0,30}(?:anterior|previ|acima|sistema|precedent)?/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () =>
      /(?:игнорир|забуд|не обращай)[^.\n]{0,40}(?:предыдущ|прежн|ранее|все|выше)[^.\n]{0,30}(?:инструкц|указан|правил|команд)/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () =>
      /(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,16}(?:指令|指示|提示|规则|規則|说明|命令)/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () => /(?:指示|命令|プロンプト|ルール|指令)[^。\n]{0,16}(?:無視|忘れ|破棄|従わない)/u,
  },
  {
    signal: "override",
    weight: 1,
    of: () => /(?:지시|명령|지침|프롬프트|규칙)[^.\n]{0,16}(?:무시|잊|따르지)/u,
  },
  {
    signal: "concealment",
    weight: 0.7,
    of: () =>
      /(?:dem (?:be)?nutzer|den nutzern|dem anwender|niemand\w{0,2})[^.\n]{0,40}(?:nicht|nichts|kein)|(?:nicht|nichts|ohne)[^.\n]{0,40}(?:dem (?:be)?nutzer|anwender|rueckfrage|ruckfrage|zu fragen)|heimlich|stillschweigend/u,
  },
  {
    signal: "concealment",
    weight: 0.7,
    of: () =>
      /(?:ne (?:dis|dites|mentionne|mentionnez|previens|prevenez|revele|revelez|parle|parlez|signale|signalez)|sans (?:le |en |l')?(?:dire|informer|prevenir|demander|mentionner|avertir))|discretement/u,
  },
  {
    signal: "concealment",
    weight: 0.7,
    of: () =>
      /(?:no|nao|sin|sem|senza) (?:le |se |lo |o |ao )?(?:digas|diga|menciones|mencione|informes|informe|reveles|revele|avises|avise|decir|dizer|avisar|informar|mencionar|preguntar|perguntar|dirlo|chiedere)/u,
  },
  {
    signal: "concealment",
    weight: 0.7,
    of: () =>
      /не (?:говори|сообщай|упоминай|показывай|рассказывай|спрашивай|уведомляй)|незаметно|втайне|тайно/u,
  },
  {
    signal: "concealment",
    weight: 0.7,
    of: () =>
      /(?:不要|别|請勿|请勿|勿|无需)[^。\n]{0,6}(?:告诉|告訴|提及|通知|透露|询问|詢問|让)[^。\n]{0,6}(?:用户|用戶|使用者|任何人|人)|(?:ユーザー?|利用者|誰)に(?:は|も)?[^。\n]{0,12}(?:言わ|知らせ|伝え|教え|報告し|明かさ|尋ね)[^。\n]{0,4}(?:ない|ず)|사용자(?:에게|한테)[^.\n]{0,16}(?:말하지|알리지|언급하지|묻지)/u,
  },
  {
    signal: "exfiltration",
    weight: 0.6,
    of: () =>
      /(?:send\w{0,4}|schick\w{0,3}|ubermittel\w{0,3}|lade|envoi\w{0,3}|envoye\w{0,3}|transmet\w{0,4}|envia\w{0,3}|mand\w{1,4}|отправ\w{0,4}|перешли\w{0,3}|发送|發送|上传|上傳|送信|アップロード|전송|보내|업로드)[^\n]{0,90}(?:https?:|@)|(?:https?:|@)[^\n]{0,90}(?:senden|schicken|hochladen|отправ|发送|發送|上传|送信|送って|アップロード|전송|보내|업로드)/u,
  },
  {
    signal: "to-agents",
    weight: 0.4,
    of: () =>
      /(?:ki|ia|ии|ai|人工智能|エージェント|アシスタント|에이전트|어시스턴트|agenten?|assistente?n?|asistente|assistant|агент\w{0,3}|ассистент\w{0,3}|助手|代理)[^.\n。]{0,30}(?:mussen|muss|sollen|soll|doi(?:t|vent)|debe[ns]?|deve[mn]?|должн\w|обязан\w?|必须|必須|应当|应该|べき|해야|ください|reglas?|sofort|immer|toujours|siempre|sempre|всегда)/u,
  },
  {
    signal: "remote-code",
    weight: 0.4,
    of: () =>
      /(?:fuhre?|ausfuhren|execute[zr]?|lance[zr]?|ejecut\w{1,4}|execut[ae]\w{0,2}|выполни\w{0,2}|запусти\w{0,2}|执行|執行|运行|実行|실행)[^\n]{0,60}(?:curl|wget|https?:|bash|sh\b|rm -|npm|pip)|(?:curl|wget|https?:|bash|npm|pip)[^\n]{0,80}(?:ausfuhren|执行|執行|运行|実行|실행)/u,
  },
  {
    signal: "safeguards",
    weight: 0.5,
    of: () =>
      /(?:deaktivier\w{0,3}|umgeh\w{0,3}|desactiv\w{1,4}|contourn\w{1,3}|desativ\w{1,3}|отключи\w{0,2}|обойди\w{0,2}|禁用|关闭|關閉|跳过|绕过|無効|スキップ|비활성|우회|건너뛰)/u,
  },
];

/** Finds what {@link tongues} tells in a text. */
export function findOtherTongues(text: string, weights: Map<Signal, number>): void {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/[\p{Mn}\p{Cf}]/gu, "")
    .toLowerCase();
  // Hangul falls apart under the first normal form; its patterns are written in whole syllables.
  const whole = plain.normalize("NFC");
  for (const { signal, weight, of } of tongues) {
    if (of().test(plain) || of().test(whole)) raise(weights, signal, weight);
  }
}

/** The patterns themselves, whose form a test holds to bounds. */
export function tonguePatterns(): readonly RegExp[] {
  return tongues.map(({ of }) => of());
}
