"""Valid records of every format, to be replayed, converted and damaged."""

from __future__ import annotations

START = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------"
LINE = "D3C3E6D2D1E1B2C1D6"  # a pass is implied before the last move

SOUND: dict[str, list[bytes]] = {
    "sgf": [
        b"(;FF[4]GM[1]SZ[9]KM[6.5]RU[Japanese]PB[Ann]PW[B\\]ob]BR[3k]DT[2024-01-31]RE[B+2.5]EV[Cup]RO[2]PC[Here]TM[600]"
        b"AP[x:1]GC[a game];B[ee]BL[590];W[cc]C[so\\\nft and\nhard: \\\\]TR[aa:bb]LB[dd:1][ee:a\\:b];B[gc]"
        b"(;W[cg]V[-1.5];B[gg];W[];B[tt])(;W[gg]AR[aa:bb]LN[cc:dd]XY[zz][yy](;B[cg])(;B[dg]N[name])))",
        b"(;GM[1]SZ[19]HA[4]AB[dp][pd][dd][pp]KM[0.5];W[qf];B[nc];W[rd];B[qc])"
        b"(;GM[1]SZ[9:13]AB[aa][bb:cc]AW[dd]PL[W];W[ee];B[ef])",
        b"(;GM[2]SZ[8]PB[A]PL[B]B[f5];W[d6];B[c3]C[three];W[d3];B[c4];W[f4](;B[f6])(;B[e3]);)",
    ],
    "ggf": [
        b"(;GM[Othello]PC[GGS/os]DT[2003.12.15_12:33:18.MST]PB[A]PW[B]RB[2196.37]RW[2200.35]RE[-40.00:r]TI[5:00//2:00]"
        b"TY[8]CO[a note]BO[8 " + START.encode() + b" *]B[F5//2.4]W[D6/1.5]B[c3/-2.00/3]CO[hm]W[D3];)",
        b"2 (;GM[othello]PB[]PW[]BO[8 "
        + START.replace(" ", "").encode()
        + b" *]B[F5];)(;GM[Othello]PB[x]PW[y]TY[8r14]"
        b"BO[8 " + START.encode() + b" *]B[e6];)",
    ],
    "obf": [
        b"% two positions\n"
        b"O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; C7:+36; D8; % FFO\n"
        b"--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O; G3:-12; C7:-12.5;\n",
        b"-OOX-XX--XOO-X-- X;\n",
    ],
    "transcript": [
        LINE.lower().encode() + b"\n",
        b"1. f5 d6\n2. c3 d3\n3. c4 f4 34-30",
        b"f5d6c3\nF5 F6 E6\n",
    ],
    "text": [
        b'[Game "clobber"]\n[board "XOXOXO"]\n[Player 1 Name "Ann \\"x\\""]\n[Foo "bar"]\n'
        b'[Result "1-0"]\n\n{whole}'
        b"1. 1-2 {[%eval 1] a \\} b} 4-3 (4-5 {[%time 2.5] uh} 2. 6-5) 2. 2-3 1-0\n",
        b'[Game "go"]\n[width "9"]\n[height "9"]\n[komi "7.0"]\n[Player 2 Rating "5d"]\n'
        b"\n1. E5 C3 2. pass G7 *\n\n"
        b'[Game "clobber"]\n[board "XO/OX"]\n\n1. a2-b2 *\n',
    ],
}


GO_SERVERS: dict[str, list[bytes]] = {
    "gib": [
        "\\HS\r\n\\[GAMEBLACKNAME=홍길동 (9단)\\]\r\n\\[GAMEWHITENAME=Lee (3D)\\]\r\n"
        "\\[GAMEDATE=2013- 1- 2-12- 3- 4\\]\r\n"
        "\\[GAMEPLACE=Tygem\\]\r\n\\[GAMEGONGJE=65\\]\r\n"
        "\\[GAMEINFOMAIN=GBKIND:3,GTYPE:0,GCDT:2,GTIME:60,GRLT:1,ZIPSU:25,DUM:0,GONGJE:65,\\]\r\n"
        "\\[GAMETAG=S1,R3,D0,G65,W0,Z0,T30-3-600,C2013:01:02:12:03,I:a,L:9,\\]\r\n"
        "\\HE\r\n\\GS\r\n2 1 0\r\n4 0 &4\r\nINI 0 1 0 &4\r\nSTO 0 2 1 15 3 \r\n"
        "STO 0 3 2 3 15 \r\nSTO 0 4 1 15 15\r\nSKI 0 5\r\nSTO 0 6 1 2 2\r\n\\GE\r\n".encode("cp949"),
        b"\\HS\n\\[GAMEBLACKNAME=A\\]\n\\[GAMEINFOMAIN=GRLT:3,ZIPSU:0,GONGJE:5\\]\n\\HE\n\\GS\nINI 0 1 5 &4\n"
        b"STO 0 2 2 5 2\nSTO 0 3 1 16 5\n\\GE\n",
    ],
    "ngf": [
        b"Rated game\n19\nLee         9D\nKim (1k)\nwww.cyberoro.com\n0\n0\n6\n20130102 [12:03]\n30\n"
        b"White wins by 3.5 points\n4\nPMABBQEQE\nPMACWEQEQ\nPMADBQQQQ\nPMAEWAAAA\n",
        b"Handicap\r\n9\r\nW\r\nB\r\nx\r\n2\r\n0\r\n0\r\n20130102\r\n30\r\n"
        b"Black wins by resign!\r\n1\r\nPMABWFFFF\r\n",
    ],
    "ogs": [
        b'{"id":1,"name":"Friendly","players":{"black":{"username":"ann","ranking":31.5},"white":{"username":"bob",'
        b'"ranking":12}},"width":9,"height":9,"rules":"chinese","komi":"5.50","handicap":0,"outcome":"2.5 points",'
        b'"black_lost":true,"white_lost":false,"started":"2024-01-31T12:00:00Z","gamedata":{"moves":[[4,4,1000],'
        b'[2,2,900.5],[-1,-1,5]],"initial_state":{"black":"","white":""},"initial_player":"black"}}',
        b'{"width":9,"height":13,"rules":"japanese","komi":0.5,"handicap":2,"free_handicap_placement":true,'
        b'"moves":[[2,2,1],[6,6,1],[2,6,1],[6,2,1]],"initial_player":"black"}',
        b'{"width":9,"height":9,"komi":0.5,"handicap":2,"initial_state":{"black":"gccg","white":""},'
        b'"initial_player":"white","moves":"ee..ed","black_lost":false,"white_lost":true,"outcome":"Resignation"}',
    ],
}  # Go servers' formats, which are only read


def wthor(games: list[bytes], year: int = 2001, size: int = 8) -> bytes:
    head = bytes([20, 1, 2, 3]) + len(games).to_bytes(4, "little") + bytes(2) + year.to_bytes(2, "little")
    return head + bytes([size, 0, 22, 0]) + b"".join(games)


def wthor_game(line: str, black: int = 1, white: int = 2, event: int = 3, discs: int = 40) -> bytes:
    squares = [line[i : i + 2].lower() for i in range(0, len(line), 2)]
    codes = bytes(10 * int(square[1]) + "abcdefgh".index(square[0]) + 1 for square in squares)
    numbers = b"".join(number.to_bytes(2, "little") for number in (event, black, white))
    return numbers + bytes([discs, 32]) + codes.ljust(60, b"\0")


SOUND["wthor"] = [wthor([wthor_game(LINE), wthor_game("F5F6E6F4", discs=32)])]

PENTE: dict[str, list[bytes]] = {
    "pente.org": [
        b'[Game "Pente"]\n[Site "Pente.org"]\n[Event "Turn-based Game"]\n[Round "-"]\n'
        b'[Section "-"]\n[Date "01/19/2014"]\n'
        b'[Time "21:22:25"]\n[TimeControl "5"]\n[Rated "Y"]\n[Player 1 Name "xtra"]\n[Player 2 Name "data"]\n'
        b'[Player 1 Rating "2488"]\n[Player 2 Rating "1696"]\n[Player 1 Type "Human"]\n[Player 2 Type "Human"]\n'
        b'[Result "1-0"]\n\n1. K10 M9 2. N10 M7 3. M8 O7 4. L10 J10 5. M10 O10 1-0\n',
        b'[Game "Speed Keryo-Pente"]\n[Result "0-1"]\n\n1. K10 M9 2. N10 0-1\n\n[Game "Gomoku"]\n\n1. K10 M9 *\n',
    ],
    "psq": [
        b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,1500\n8,9,12\n1,15,1\npbrain-a.zip\nb\n-1\n0,Freestyle15_1\n",
        b"Piskvorky 9x9, 0:0, 1\r\n1,1\r\n9,9\r\n-1\r\nPiskvorky 5x5, 0:0, 0\r\n3,3,7\r\n",
    ],
    "renlib": [
        b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\x00\x08start\0" + b"\x78\x08one\btwo\r\nthree\0\0"
        b"\x79\x80" + b"\x6a\x40" + b"\x88\x01\x01\x00A\0" + b"\x11\xc8h\xe9!\0\0" + b"\x1f\x40",
    ],
    "sgf": [
        b"(;FF[4]GM[4]SZ[15]RU[gomoku]PB[A];B[hh];W[ii];B[gg]C[x](;W[ff])(;W[jj]))",
        b"(;GM[31]SZ[19]RU[Keryo-Pente]PB[White's rival]PW[First];W[jj];B[kk];W[mm])",
        b"(;GM[4]SZ[9]RU[keryo]AB[aa:ca]AW[dd][ee]PL[W]PB[A];W[ff];B[gg]TB[aa]WT[x];W[hh])",
        b"(;GM[4]SZ[9]RU[swap2-pente]PB[Ann]PW[Bob]RE[B+];B[ee];W[dd];B[cc];TAKE[more];W[aa];B[bb]V[1]"
        b"(;TAKE[white];W[ff]V[-2.5])(;TAKE[black];W[gg]))",
        b"(;GM[4]SZ[15]RU[d-pente]PB[Ann]PW[Bob]RE[W+R];W[hh];B[ii];W[gg];B[ff];W[jj]OW[3]BL[7])",
    ],
}
