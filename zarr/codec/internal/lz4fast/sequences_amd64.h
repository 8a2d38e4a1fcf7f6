	// The body of sequences16 and sequences32. Positions are indexes into src. Registers:
	//
	//	SI   src
	//	DI   next byte of dst
	//	R8   position
	//	R9   start of the literals
	//	R10  position of the match
	//	R11  table
	//	R13  last position that may be hashed, 11 bytes before the end of src
	//	R14  end of dst
	//	R15  factor of the hash
	//	BX   token of the sequence
	//
	// After a sequence at least 6 bytes of dst are free, as in liblz4: a token and 5 literals.
	// Therefore a token and an offset are written without a check.
	MOVQ table+0(FP), R11
	MOVQ src_base+8(FP), SI
	MOVQ src_len+16(FP), R13
	MOVQ dst_base+32(FP), DI
	MOVQ dst_len+40(FP), R14
	MOVQ anchor+64(FP), R9
	ADDQ DI, R14
	ADDQ n+72(FP), DI
	SUBQ $11, R13
	MOVQ FACTOR, R15
	MOVQ R9, R8
	TESTQ R9, R9
	JNE  fill
	MOVQ (SI), AX
	HASH(AX)
	ENTER(R9, AX)

search:
	// AX is the hash of position R8, DX the position after it, and R12 their distance. The
	// distance grows by 1 every 64 attempts, which CX counts.
	INCQ R8
	MOVQ acceleration+56(FP), CX
	SHLQ $6, CX
	MOVQ R8, DX
	MOVL $1, R12
	MOVQ (SI)(R8*1), AX
	HASH(AX)
attempt:
	MOVQ DX, R8
	ADDQ R12, DX
	CMPQ DX, R13
	JGT  done
	ENTRY(AX, R10)
	ENTER(R8, AX)
	MOVQ (SI)(DX*1), AX
	HASH(AX)
	MOVL (SI)(R10*1), BX
	XORL (SI)(R8*1), BX
	MOVQ R8, R12
	SUBQ R10, R12
	SHRQ $16, R12
	ORL  R12, BX
	MOVQ CX, R12
	SHRQ $6, R12
	INCQ CX
	TESTL BX, BX
	JNE  attempt

back:
	// Extend the match to earlier positions.
	TESTQ R10, R10
	JEQ  literals
	MOVBLZX -1(SI)(R8*1), AX
	CMPB AX, -1(SI)(R10*1)
	JNE  literals
	DECQ R8
	DECQ R10
	CMPQ R8, R9
	JGT  back

literals:
	// Write the token and fewer than 15 literals. 8 or 16 bytes are copied, and the check of dst
	// leaves 8 bytes for those that are too many.
	MOVQ R8, CX
	SUBQ R9, CX
	MOVQ DI, BX
	CMPQ CX, $15
	JGE  many
	LEAQ 9(DI)(CX*1), AX
	CMPQ AX, R14
	JHI  full
	MOVL CX, AX
	SHLL $4, AX
	MOVB AX, (DI)
	MOVQ (SI)(R9*1), AX
	MOVQ AX, 1(DI)
	LEAQ 1(DI)(CX*1), DI
	CMPQ CX, $8
	JLE  match
	MOVQ 8(SI)(R9*1), AX
	MOVQ AX, 9(BX)

match:
	// Write the offset, and compare the 8 bytes after the first 4.
	MOVQ R8, AX
	SUBQ R10, AX
	MOVW AX, (DI)
	ADDQ $2, DI
	LEAQ 6(DI), AX
	CMPQ AX, R14
	JHI  full
	MOVQ 4(SI)(R8*1), CX
	XORQ 4(SI)(R10*1), CX
	JEQ  long
	ADDQ $4, R8
	TZCNTQ CX, CX
	SHRQ $3, CX
	ADDQ CX, R8
	ADDB CX, (BX)
	CMPQ R8, stop+80(FP)
	JGE  last
fill:
	// Enter the last position but one, and try the next position.
	MOVQ R8, R9
	MOVQ -2(SI)(R8*1), AX
	HASH(AX)
	LEAQ -2(R8), DX
	ENTER(DX, AX)
	MOVQ (SI)(R8*1), AX
	HASH(AX)
	ENTRY(AX, R10)
	ENTER(R8, AX)
	MOVL (SI)(R10*1), DX
	XORL (SI)(R8*1), DX
	MOVQ R8, CX
	SUBQ R10, CX
	SHRQ $16, CX
	ORL  CX, DX
	JNE  search
	MOVQ DI, BX
	MOVB $0, (DI)
	INCQ DI
	JMP  match

many:
	// Write the token, the length bytes and 15 or more literals. The check of dst is that of
	// liblz4. The multiplication divides by 255.
	MOVL $2155905153, AX
	IMULQ CX, AX
	SHRQ $39, AX
	LEAQ 9(DI)(CX*1), DX
	ADDQ AX, DX
	CMPQ DX, R14
	JHI  full
	MOVB $0xF0, (DI)
	INCQ DI
	LEAQ -15(CX), AX
	JMP  many255
many1:
	MOVB $255, (DI)
	INCQ DI
	SUBQ $255, AX
many255:
	CMPQ AX, $255
	JGE  many1
	MOVB AX, (DI)
	INCQ DI
	LEAQ (SI)(R9*1), AX
	LEAQ (DI)(CX*1), DX
	SUBQ $16, CX
	JLT  copy8
copy16:
	MOVOU (AX), X0
	MOVOU X0, (DI)
	ADDQ $16, AX
	ADDQ $16, DI
	SUBQ $16, CX
	JGE  copy16
copy8:
	CMPQ DI, DX
	JGE  copied
	MOVQ (AX), CX
	MOVQ CX, (DI)
	ADDQ $8, AX
	ADDQ $8, DI
	JMP  copy8
copied:
	MOVQ DX, DI
	JMP  match

long:
	// 12 bytes are equal. CX is the end of the match, and R10 that of the earlier bytes. R13 is
	// the last end of a match, 5 bytes before the end of src.
	LEAQ 12(R8), CX
	ADDQ $12, R10
	ADDQ $6, R13 // the end of a match
	LEAQ -32(R13), DX
	JMP  long32
same32:
	ADDQ $32, CX
	ADDQ $32, R10
long32:
	CMPQ CX, DX
	JGT  long1
	MOVOU (SI)(CX*1), X0
	MOVOU (SI)(R10*1), X1
	MOVOU 16(SI)(CX*1), X2
	MOVOU 16(SI)(R10*1), X3
	PCMPEQB X0, X1
	PCMPEQB X2, X3
	PMOVMSKB X1, AX
	PMOVMSKB X3, R12
	SHLL $16, R12
	ORL  R12, AX
	NOTL AX
	TESTL AX, AX
	JEQ  same32
	TZCNTL AX, AX
	ADDQ AX, CX
	JMP  counted
same1:
	INCQ CX
	INCQ R10
long1:
	CMPQ CX, R13
	JGE  counted
	MOVBLZX (SI)(CX*1), AX
	CMPB AX, (SI)(R10*1)
	JEQ  same1
counted:
	CMPQ CX, R13
	CMOVQGT R13, CX
	SUBQ $6, R13
	MOVQ CX, AX
	SUBQ R8, AX
	SUBQ $4, AX
	MOVQ CX, R8
	CMPQ AX, $270
	JGE  more
	// Write a length byte, and skip it if it is not needed. Lengths vary too much for a branch.
	XORL DX, DX
	CMPQ AX, $15
	SETGE DX
	LEAQ 6(DI)(DX*1), CX
	CMPQ CX, R14
	JHI  full
	LEAQ -15(AX), CX
	MOVB CX, (DI)
	ADDQ DX, DI
	MOVL $15, CX
	CMPQ AX, CX
	CMOVQGT CX, AX
	ADDB AX, (BX)
	JMP  next
more:
	ADDB $15, (BX)
	LEAQ 240(AX), CX // divided by 255, this is the number of length bytes
	MOVL $2155905153, DX
	IMULQ DX, CX
	SHRQ $39, CX
	LEAQ 6(DI)(CX*1), CX
	CMPQ CX, R14
	JHI  full
	SUBQ $15, AX
	JMP  more255
more1:
	MOVB $255, (DI)
	INCQ DI
	SUBQ $255, AX
more255:
	CMPQ AX, $255
	JGE  more1
	MOVB AX, (DI)
	INCQ DI
next:
	CMPQ R8, stop+80(FP)
	JLT  fill
	MOVQ R8, R9
	JMP  done

last:
	// A match ends 5 bytes before the end or earlier.
	MOVQ R8, R9
	LEAQ 6(R13), AX
	SUBQ R8, AX
	JGE  done
	ADDQ AX, R9
	ADDB AX, (BX)
done:
	SUBQ dst_base+32(FP), DI
	MOVQ R9, next+88(FP)
	MOVQ DI, end+96(FP)
	RET
full:
	MOVQ $-1, end+96(FP)
	MOVQ R9, next+88(FP)
	RET
